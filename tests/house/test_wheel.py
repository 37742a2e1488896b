"""What a user installs: one top-level name, all data files, and no quarrel with the user's own files."""

import os
import shutil
import site
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wire.server import WireServer
from tools.layout import FOLDERS, modules

PROMISED = """
from ninefold import build_graph, history
graph = build_graph("agent.yaml")
config = {"configurable": {"thread_id": "t1", "user_id": "ann"}}
result = graph.invoke({"messages": [{"role": "user", "content": "What is the port?"}]}, config)
print(result["messages"][-1].text)
print(len(history(graph, config)))
print(graph.get_graph().draw_mermaid())
"""

CHECKOUT = Path(__file__).resolve().parents[2]
NOT_DATA = {".py", ".pyc"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built through the source distribution; from a copy, so that no old build folder leaks in."""
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for folder in FOLDERS:
        shutil.copytree(CHECKOUT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, copy / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(copy)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the wheel and borrows the libraries from the one running the tests."""
    environment = tmp_path_factory.mktemp("user") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(pip, check=True)
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    # A folder named in a .pth file has its own .pth files ignored: the checkout's editable install stays behind.
    Path(packages, "borrowed.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    return python


def files_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def place_in_wheel(path: Path) -> str:
    return "/".join(("ninefold", *path.parts[path.parts[0] == "app" :]))


def data_files() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((CHECKOUT / folder).rglob("*")):
            if path.is_file() and path.suffix not in NOT_DATA:
                yield path.relative_to(CHECKOUT)


def test_the_wheel_has_one_top_level_name(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in files_in(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"ninefold"}


def test_the_wheel_holds_every_module_once_under_its_public_name(wheel: Path) -> None:
    packed = {name for name in files_in(wheel) if name.endswith(".py")}
    assert packed == {place_in_wheel(module.path) for module in modules(CHECKOUT)}


def test_the_wheel_carries_every_data_file_and_the_typed_marker(wheel: Path) -> None:
    expected = {place_in_wheel(path) for path in data_files()}
    assert "ninefold/py.typed" in expected
    assert expected <= files_in(wheel)


def test_a_user_with_a_graph_and_a_state_file_of_their_own_gets_ours_and_keeps_theirs(
    installed: Path, tmp_path: Path
) -> None:
    for name in FOLDERS:
        (tmp_path / f"{name}.py").write_text("mine = True\n")
    names = ", ".join(FOLDERS)
    code = (
        f"import ninefold, ninefold.graph, ninefold.state, {names}\n"
        f"assert all(m.mine for m in ({names}))\n"
        "print(ninefold.__file__, ninefold.graph.__file__, ninefold.state.__file__, sep='\\n')"
    )
    ran = subprocess.run([installed, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    for line in ran.stdout.splitlines():
        assert Path(line).is_relative_to(installed.parent.parent), line


def test_the_promised_python_runs_beside_a_user_s_own_files(installed: Path, tmp_path: Path) -> None:
    for name in FOLDERS:
        (tmp_path / f"{name}.py").write_text("mine = True\n")
    home = {**os.environ, "NINEFOLD_HOME": str(tmp_path / "home")}
    with WireServer(["18443"]) as wire:
        (tmp_path / "agent.yaml").write_text(f"agent: {{model: {{base_url: '{wire.url}'}}, memory: off}}\n")
        ran = subprocess.run(
            [installed, "-c", PROMISED], cwd=tmp_path, env=home, capture_output=True, text=True, check=False
        )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[:2] == ["18443", "2"]
    assert "fidelity_check" in ran.stdout


def test_a_type_checker_reads_the_installed_types(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text("from ninefold.state import Constraint\n\nreveal_type(Constraint)\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(installed), "user.py"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "ninefold.state.constraint.Constraint" in checked.stdout, checked.stdout + checked.stderr
