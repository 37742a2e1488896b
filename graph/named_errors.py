"""LangGraph's own errors under this project's names, with what to do next."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphRecursionError, InvalidUpdateError

from ninefold.state import InputError, InvalidUpdate, StepsExhausted

_LEFT_OUT = "Leave recursion_limit out: the agent bounds its turns itself"
_LIMIT = f"{_LEFT_OUT}. Nothing is lost: invoke(None, config) takes the turn up again."
_UPDATE = "Give a dict of the state's fields, and as_node one of the graph's steps or leave it out."


class Named:
    """Gives what LangGraph raises inside of a `with`, or of an `async with`, as one of our errors."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        cause = str(error).splitlines()[0].rstrip(".") if error and str(error) else ""
        match error:
            case GraphRecursionError():
                raise StepsExhausted(f"{cause}.", _LIMIT) from error
            case InvalidUpdateError():
                raise InvalidUpdate(f"The state does not take this update: {cause}.", _UPDATE) from error
            case _:
                pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)


def check_limit(config: RunnableConfig | None) -> None:
    """Refuse a recursion_limit that LangGraph would not take.

    Raises:
        InputError: it is no whole number above 0.
    """
    limit: object = (config or {}).get("recursion_limit")
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise InputError(f"The recursion_limit {limit!r} is no whole number above 0.", f"{_LEFT_OUT}.")
