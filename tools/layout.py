"""Keeps the six root folders one import package: star stubs, guards and the package list, all written from the tree.

The build maps `state/` to `ninefold.state`, `app/` to `ninefold` and so on. Type checkers run no import hook, so each
module gets a stub under `typings/` that points back at its real file; each root package gets a guard, so that
`import state` inside the checkout cannot load a second copy of every class; `pyproject.toml` gets the list of packages.

    python tools/layout.py            # write what is missing or stale, remove what is left over
    python tools/layout.py --check    # change nothing, name every difference, exit with status 1 if there is one
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "ninefold"
ROOT_FOLDER = "app"
ROOMS = ("adapters", "graph", "nodes", "policies", "state")
FOLDERS = (ROOT_FOLDER, *ROOMS)
STUBS = Path("typings") / PACKAGE

_PACKAGE_LIST = re.compile(r"(?ms)^packages = \[.*?^\]$")


class LayoutError(Exception):
    """The tree cannot be mapped: the message names the file and what to change."""


@dataclass(frozen=True)
class Module:
    """One Python file of the tree under both of its names."""

    path: Path
    """The file, relative to the checkout, such as `state/turn.py`."""
    real: str
    """The name its place in the checkout gives it, such as `state.turn`."""
    public: str
    """The name the world imports, such as `ninefold.state.turn`."""

    @property
    def is_package(self) -> bool:
        """Whether the file is a folder's `__init__.py`."""
        return self.path.name == "__init__.py"

    @property
    def stub(self) -> Path:
        """The stub's place, relative to the checkout."""
        inner = self.path.relative_to(ROOT_FOLDER) if self.path.parts[0] == ROOT_FOLDER else self.path
        return (STUBS / inner).with_suffix(".pyi")


def modules(root: Path) -> list[Module]:
    """Every module of the six folders, sorted by its public name."""
    found = [_module(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).rglob("*.py")]
    for module in found:
        if not (root / module.path).with_name("__init__.py").exists():
            raise LayoutError(f"{module.path.parent} holds Python files but no __init__.py: add one")
        if module.path.parts[0] == ROOT_FOLDER and module.path.with_suffix("").parts[1] in ROOMS:
            raise LayoutError(f"{module.path} would hide {PACKAGE}.{module.path.stem}: give it another name")
    return sorted(found, key=lambda module: module.public)


def expected(root: Path) -> dict[Path, str]:
    """What each file this tool looks after should hold, by its path relative to the checkout."""
    found = modules(root)
    files = {module.stub: _stub(module) for module in found}
    for folder in FOLDERS:
        init = Path(folder) / "__init__.py"
        if not (root / init).exists():
            raise LayoutError(f"{init} is missing: add it, it is the root of {_public(folder)}")
        files[init] = _with_guard((root / init).read_text(encoding="utf-8"), _public(folder))
    project = Path("pyproject.toml")
    packages = [module.public for module in found if module.is_package]
    files[project] = _with_packages((root / project).read_text(encoding="utf-8"), packages)
    return files


def differences(root: Path) -> Iterator[str]:
    """One line for each file that is missing, stale or left over."""
    wanted = expected(root)
    for path, text in wanted.items():
        if not (root / path).exists():
            yield f"{path} is missing"
        elif (root / path).read_text(encoding="utf-8") != text:
            yield f"{path} is stale"
    for path in _left_over(root, wanted):
        yield f"{path} stands for no module"


def write(root: Path) -> None:
    """Bring the tree to its expected shape; a second call changes nothing."""
    wanted = expected(root)
    for path, text in wanted.items():
        target = root / path
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    for path in _left_over(root, wanted):
        (root / path).unlink()


def _public(real: str) -> str:
    head, _, rest = real.partition(".")
    inner = rest if head == ROOT_FOLDER else real
    return f"{PACKAGE}.{inner}" if inner else PACKAGE


def _module(path: Path) -> Module:
    parts = path.with_suffix("").parts
    real = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(path=path, real=real, public=_public(real))


def _stub(module: Module) -> str:
    return f"from {module.real} import *\n"


def _left_over(root: Path, wanted: dict[Path, str]) -> list[Path]:
    stubs = (path.relative_to(root) for path in (root / STUBS).rglob("*.pyi"))
    return sorted(path for path in stubs if path not in wanted)


def _guard(public: str) -> str:
    return (
        f'if __name__ != "{public}":  # kept by `make layout`\n'
        f'    raise ImportError("this folder is a part of one package: write `import {public}`")\n'
    )


def _with_guard(text: str, public: str) -> str:
    """The module's text with its guard after docstring and `__future__` imports, before anything that runs."""
    body = ast.parse(text).body
    lines = text.splitlines(keepends=True)
    first = next((node for node in body if not _is_docstring(node) and not _is_future_import(node)), None)
    if first is not None and _is_guard(first) and "".join(_span(lines, first)) == _guard(public):
        return text
    for old in reversed(list(filter(_is_guard, body))):
        lines[old.lineno - 1 : old.end_lineno] = []
    body = ast.parse("".join(lines)).body
    heading = [node for node in body if _is_docstring(node) or _is_future_import(node)]
    after = (heading[-1].end_lineno or 0) if heading else 0
    head, rest = "".join(lines[:after]).rstrip("\n"), "".join(lines[after:]).lstrip("\n")
    return "\n".join(part for part in (f"{head}\n" if head else "", _guard(public), rest) if part)


def _span(lines: list[str], node: ast.stmt) -> list[str]:
    return lines[node.lineno - 1 : node.end_lineno]


def _is_future_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_guard(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and ast.unparse(node.test).startswith("__name__ != ")
        and isinstance(node.body[0], ast.Raise)
    )


def _with_packages(text: str, packages: list[str]) -> str:
    block = "packages = [\n" + "".join(f'    "{name}",\n' for name in packages) + "]"
    new, count = _PACKAGE_LIST.subn(lambda _: block, text)
    if count != 1:
        raise LayoutError("pyproject.toml needs exactly one `packages = [` block, closed by a `]` on its own line")
    return new


def main() -> int:
    """Write the layout, or with `--check` report every difference; the exit status is 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, report differences")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the checkout")
    arguments = parser.parse_args()
    try:
        if not arguments.check:
            write(arguments.root)
        found = list(differences(arguments.root))
    except LayoutError as error:
        found = [str(error)]
    for line in found:
        print(f"layout: {line}", file=sys.stderr)
    if found and arguments.check:
        print("layout: run `make layout` and commit what it writes", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
