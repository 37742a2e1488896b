"""The measurements: `python -m bench` lists them, `python -m bench overhead --help` is one of them.

Each is a command of its own, prints its table and says how long it takes; none is part of the tests.
"""

import ast
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """List the measurements, or run the named one with the arguments behind its name."""
    folders = {file.parent.name: file for file in HERE.glob("*/__main__.py")}
    files = {file.stem: file for file in HERE.glob("[a-z]*.py") if "__main__" in file.read_text(encoding="utf-8")}
    known = dict(sorted((files | folders).items()))
    if len(sys.argv) < 2:
        for name, file in known.items():
            about = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]
            print(f"python -m bench {name:<16} {about}")
        return
    name = sys.argv[1]
    if name not in known:
        sys.exit(f"There is no measurement {name!r}. There are {', '.join(known)}.")
    sys.argv = sys.argv[1:]
    runpy.run_module(f"bench.{name}", run_name="__main__")


main()
