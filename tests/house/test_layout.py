"""The six root folders are one import package, and stay one whatever is added to them."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tools.layout import FOLDERS, LayoutError, differences, modules, write

CHECKOUT = Path(__file__).resolve().parents[2]

SMALL_PROJECT = """\
[tool.setuptools]
packages = [
]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small checkout: one module in each folder, laid out."""
    for folder in FOLDERS:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text(f'"""The {folder}."""\n')
    (tmp_path / "state" / "turn.py").write_text("class Turn:\n    number: int = 0\n")
    (tmp_path / "app" / "talk.py").write_text("def talk(words: str) -> str:\n    return words\n")
    (tmp_path / "pyproject.toml").write_text(SMALL_PROJECT)
    write(tmp_path)
    return tmp_path


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def test_the_checkout_is_laid_out() -> None:
    checked = python("tools/layout.py", "--check", cwd=CHECKOUT)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_root_folder_refuses_to_be_imported_by_its_own_name(folder: str) -> None:
    tried = python("-c", f"import {folder}", cwd=CHECKOUT)
    public = "ninefold" if folder == "app" else f"ninefold.{folder}"
    assert "ImportError" in tried.stderr
    assert f"write `import {public}`" in tried.stderr


@pytest.mark.parametrize("folder", FOLDERS)
def test_outside_the_checkout_no_root_folder_is_a_module(folder: str, tmp_path: Path) -> None:
    tried = python("-c", f"import {folder}", cwd=tmp_path)
    assert f"ModuleNotFoundError: No module named '{folder}'" in tried.stderr


def test_every_module_has_one_public_name_that_leads_to_its_file() -> None:
    for module in modules(CHECKOUT):
        spec = importlib.util.find_spec(module.public)
        assert spec is not None, module.public
        assert spec.origin == str(CHECKOUT / module.path)


def test_writing_twice_changes_nothing(tree: Path) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    write(tree)
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


def test_a_new_subpackage_is_reported_until_stub_and_package_list_know_it(tree: Path) -> None:
    (tree / "policies" / "cues").mkdir()
    (tree / "policies" / "cues" / "__init__.py").write_text("")
    assert list(differences(tree)) == [
        "typings/ninefold/policies/cues/__init__.pyi is missing",
        "pyproject.toml is stale",
    ]
    write(tree)
    assert list(differences(tree)) == []
    assert '    "ninefold.policies.cues",\n' in (tree / "pyproject.toml").read_text()


def test_a_stub_without_its_module_is_reported_and_removed(tree: Path) -> None:
    (tree / "state" / "turn.py").unlink()
    assert list(differences(tree)) == ["typings/ninefold/state/turn.pyi stands for no module"]
    write(tree)
    assert not (tree / "typings/ninefold/state/turn.pyi").exists()


@pytest.mark.parametrize(
    "text",
    [
        '"""Words."""\n\nfrom .turn import Turn\n',
        '"""Words."""\n\nfrom __future__ import annotations\n\nfrom .turn import Turn\n',
        "from .turn import Turn\n",
        '"""Words."""\n\nfrom .turn import Turn\n\nif __name__ != "ninefold.state":\n    raise ImportError("late")\n',
        '"""Words."""\n\nif __name__ != "ninefold.old":\n    raise ImportError("another")\n\nfrom .turn import Turn\n',
    ],
    ids=["no guard", "future import", "no docstring", "guard after the imports", "another package's guard"],
)
def test_the_guard_stands_once_and_before_the_first_import(tree: Path, text: str) -> None:
    init = tree / "state" / "__init__.py"
    init.write_text(text)
    assert list(differences(tree)) == ["state/__init__.py is stale"]
    write(tree)
    assert init.read_text().count("__name__ != ") == 1
    refused = python("-c", "import state", cwd=tree)
    assert "write `import ninefold.state`" in refused.stderr
    assert "turn.py" not in refused.stderr


def test_a_folder_of_modules_without_init_is_refused(tree: Path) -> None:
    (tree / "nodes" / "deep").mkdir()
    (tree / "nodes" / "deep" / "step.py").write_text("")
    with pytest.raises(LayoutError, match=r"nodes/deep holds Python files but no __init__\.py"):
        write(tree)


def test_a_module_of_the_root_may_not_hide_a_room(tree: Path) -> None:
    (tree / "app" / "graph.py").write_text("")
    with pytest.raises(LayoutError, match=r"app/graph\.py would hide ninefold\.graph"):
        write(tree)


USER = """\
from ninefold.state.turn import Turn
from ninefold.talk import talk

number: int = Turn().number
words: str = talk("hello")
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
@pytest.mark.parametrize(
    ("line", "wrong"),
    [("talk(Turn())", True), ("number = talk('one')", True), ("talk(str(Turn().number))", False)],
    ids=["wrong argument", "wrong result", "right"],
)
def test_through_the_stubs_a_type_checker_sees_the_real_types(tree: Path, checker: str, line: str, wrong: bool) -> None:
    (tree / "user.py").write_text(f"{USER}{line}\n")
    (tree / "mypy.ini").write_text("[mypy]\nstrict = True\nmypy_path = typings\n")
    (tree / "pyrightconfig.json").write_text('{"stubPath": "typings", "reportMissingModuleSource": false}')
    checked = python("-m", checker, "user.py", cwd=tree)
    assert checked.returncode == (1 if wrong else 0), checked.stdout + checked.stderr
    assert (f"user.py:{USER.count(chr(10)) + 1}" in checked.stdout) == wrong, checked.stdout
