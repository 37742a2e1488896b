"""Policies of the caller's own, in place of single built-in ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ninefold.state import Order, PolicyPaths, SettingsError

if TYPE_CHECKING:
    from ninefold.policies.compaction import Strategy
    from ninefold.policies.intent import IntentPolicy
    from ninefold.policies.recall import Ranking
    from ninefold.policies.write_judge import WriteJudge


@dataclass(frozen=True, kw_only=True)
class Policies:
    """Single policies to use instead of the built-in ones; None keeps the built-in one."""

    intent: IntentPolicy | None = None
    write_judge: WriteJudge | None = None
    ranking: Ranking | None = None
    strategies: Sequence[Strategy] | None = None
    order: Order | None = None


def load_policies(paths: PolicyPaths) -> Policies:
    """Give the policies that an agent's file names by dotted path, each made without arguments.

    Raises:
        SettingsError: a path leads to nothing that can be made.
    """
    return Policies(
        intent=_load(paths.intent),
        write_judge=_load(paths.write_judge),
        ranking=_load(paths.ranking),
        strategies=tuple(_load(path) for path in paths.strategies) or None,
    )


def _load(path: str | None) -> Any:
    if path is None:
        return None
    module, separator, name = path.partition(":")
    try:
        if not separator:
            raise ImportError("no colon between module and name")
        return getattr(import_module(module), name)()
    except (ImportError, AttributeError, TypeError) as error:
        raise SettingsError(
            f"The policy {path!r} cannot be made: {error}.",
            "Write it as package.module:Name, where Name can be called without arguments.",
        ) from error
