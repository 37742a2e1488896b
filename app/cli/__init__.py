"""The command line: `ninefold`, one file for each command."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ninefold.state import Language


def main() -> None:
    """Run the command line and leave with its exit status: 0 done, 1 a named error, 2 wrong usage, 130 Ctrl-C.

    SIGTERM ends a command as Ctrl-C does, with 143: a turn lets its thread go and can be taken up again.
    """
    import signal

    signal.signal(signal.SIGTERM, _terminated)
    _read_arguments_again()
    _never_choke_on_output()
    status = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        status = _reader_left()
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Give the exit status of a command; a named error goes to stderr as its sentence, without a traceback.

    Everything is said in one language: the one that `--lang` names, else that of the agent's file, else the locale's.
    """
    import typer
    from typer.exceptions import TyperException

    from .commands import application

    language = _language(arguments)
    try:
        left: object = application(language)(args=arguments, prog_name="ninefold", standalone_mode=False)
        return left if isinstance(left, int) else 0
    except TyperException as error:
        from .usage import refuse

        return refuse(error, language)
    except typer.Abort:
        from ..wording import Wording

        print(Wording(language).say("usage.left"), file=sys.stderr)
        return 1
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:
        from ninefold.state.errors import NinefoldError

        if not isinstance(error, NinefoldError):
            raise
        from ..translation import told

        print(told(error, language), file=sys.stderr)
        return 1


def _language(arguments: list[str]) -> Language:
    """Give the language that `--lang` names, else the one of the agent's file, else the locale's."""
    import os

    from ..wording import language_of

    asked = _value(arguments, "--lang")
    if asked in ("zh", "en"):
        return language_of(os.environ, asked)
    return language_of(os.environ, _language_of_file(_value(arguments, "--agent")))


def _value(arguments: list[str], option: str) -> str | None:
    """Give what stands behind an option, in either form."""
    value = next((value for name, value in pairwise(arguments) if name == option), None)
    return next((word.partition("=")[2] for word in arguments if word.startswith(f"{option}=")), value)


def _language_of_file(file: str | None) -> str | None:
    """Give the language that an agent's file names; what is wrong with the file is said by the command."""
    if file is None:
        return None
    from pathlib import Path

    from ninefold.state.errors import NinefoldError

    from ..settings_file import load_settings

    try:
        return load_settings(Path(file)).language
    except NinefoldError:
        return None


def _terminated(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _read_arguments_again() -> None:
    """Begin anew in UTF-8 where the locale could not read the arguments: what it left of them no database takes."""
    import os

    left = any("\udc80" <= character <= "\udcff" for word in sys.argv for character in word)
    if left and not sys.flags.utf8_mode and os.name == "posix":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _never_choke_on_output() -> None:
    """Write what the terminal's encoding lacks as an escape, so that an old locale never ends a command."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _reader_left() -> int:
    """Keep Python from complaining at its exit that stdout's reader is gone."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
