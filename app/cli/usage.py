"""What is wrong with the words of a command, said in the person's language."""

from __future__ import annotations

import sys

from typer.exceptions import TyperException

from ninefold.state import Language


def refuse(error: TyperException, language: Language) -> int:
    """Say on stderr how the command is used, what is wrong with its words and what explains it; give the exit status.

    Of a command that shows its help, because it was given no words, there is nothing more to say.
    """
    from ..translation import translated
    from ..wording import Wording

    context = getattr(error, "ctx", None)
    if said := error.format_message():
        if context is not None:
            print(context.get_usage(), file=sys.stderr)
        print(translated(said, language), file=sys.stderr)
        if context is not None:
            print(Wording(language).say("usage.help", command=f"{context.command_path} -h"), file=sys.stderr)
    return error.exit_code
