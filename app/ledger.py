"""What each turn of a session cost, layer by layer, and when the bare conversation would have filled the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ninefold.nodes.ports import TokenCounter
from ninefold.policies.render import as_sent, rule_block
from ninefold.state import FidelityChecked, Language, LayerName, LeftOut, ModelCalled, Step, TurnStarted, View
from ninefold.state.turn_state import TurnState

from .kept_turns import moments, number, said
from .sessions import Place
from .wording import Wording


@dataclass(frozen=True)
class Row:
    """The costs of one turn, in tokens."""

    turn: int
    layers: dict[str, int] = field(default_factory=dict[str, int])
    """Of its last prompt; the rules' with those that stand with messages."""
    prompt: int | None = None
    """Its last prompt, as we count it; None where the session was changed after the turn, which drops it."""
    reply: int = 0
    """Every reply of the turn, as the server counts them; 0 where it does not tell."""
    cached: int | None = None
    """What the server did not read again, over all calls; None where it does not tell."""
    calls: int = 0
    """Calls for the reply: more than one when tools ran."""
    internal: int = 0
    """Calls for anything else."""
    compacted: tuple[str, ...] = ()
    """The strategies that the proof let through."""
    bare: int | None = None
    """What a prompt of the same fixed layer and every message so far, whole, would need; None without a prompt."""


@dataclass(frozen=True)
class Ledger:
    """The kept turns of a session, oldest first, and the forecast."""

    thread: str
    rows: tuple[Row, ...]
    num_ctx: int
    reserve: int
    """Tokens kept for the reply."""
    full_at: int | None
    """The turn at which the bare conversation fills the window: measured, or at its mean growth; None when it does not
    grow."""


def ledger(place: Place, thread: str, user: str, *, tokens: TokenCounter, num_ctx: int) -> Ledger:
    """Give the costs of a session's kept turns.

    Args:
        place: where the sessions are kept.
        thread: the session.
        user: whose it is.
        tokens: counts for the agent's model.
        num_ctx: the agent's window.

    Raises:
        InputError: the person has no such session.
        StorageError: a database failed.
    """
    kept = moments(place, thread, user)
    if not kept:
        return Ledger(thread, (), num_ctx, 0, None)
    spoken: dict[int, int] = {}
    for each in said(place, thread, kept[-1]):
        spoken[each.number] = spoken.get(each.number, 0) + tokens.message(as_sent(each.message))
    rows = tuple(_row(moment, spoken, tokens) for moment in kept)
    reserve = next((moment.view.reserve for moment in reversed(kept) if moment.view), 0)
    return Ledger(thread, rows, num_ctx, reserve, _full_at(rows, num_ctx - reserve))


def forecast(found: Ledger, words: Wording) -> str:
    """Give when the bare conversation fills the window, in a sentence."""
    room = found.num_ctx - found.reserve
    key = "ledger.never" if found.full_at is None else "ledger.full"
    return words.say(key, room=room, num_ctx=found.num_ctx, turn=found.full_at or 0)


def _row(moment: TurnState, spoken: dict[int, int], tokens: TokenCounter) -> Row:
    layers = _layers(moment.view, moment.language or Language.ENGLISH, tokens) if moment.view else {}
    calls = [event for event in moment.trace if isinstance(event, ModelCalled)]
    begun = [event.left_out for event in moment.trace if isinstance(event, TurnStarted) and event.left_out]
    left_out = begun[0] if begun else LeftOut()
    mine = [call for call in calls if call.step is Step.MODEL_CALL]
    cached = [call.cached_tokens for call in calls if call.cached_tokens is not None]
    proofs = [event for event in moment.trace if isinstance(event, FidelityChecked)]
    turn = number(moment)
    before = sum(cost for at, cost in spoken.items() if at < turn)
    asked = layers.get(LayerName.CURRENT.value, 0)
    return Row(
        turn=turn,
        layers=layers,
        prompt=moment.view.tokens if moment.view else None,
        reply=sum(call.reply_tokens or 0 for call in calls) + left_out.reply_tokens,
        cached=sum(cached) + left_out.cached_tokens if cached else None,
        calls=len(mine) + left_out.calls,
        internal=len(calls) - len(mine) + left_out.internal,
        compacted=tuple(name for proof in proofs for name in proof.committed),
        bare=layers.get(LayerName.FIXED.value, 0) + before + asked if moment.view else None,
    )


def _layers(view: View, language: Language, tokens: TokenCounter) -> dict[str, int]:
    """Give the tokens of each layer; rules that stand with a message are counted as rules, not as that message's."""
    found = {layer.name.value: layer.tokens for layer in view.layers}
    for layer in view.layers:
        blocks = [each for piece in layer.pieces for each in rule_block(piece, language)]
        beside = sum(tokens.text(f"{each}\n\n") for each in blocks)
        if beside:
            found[layer.name.value] -= beside
            rules = LayerName.CONSTRAINTS.value
            found[rules] = found.get(rules, 0) + beside
    return found


def _full_at(rows: Sequence[Row], room: int) -> int | None:
    """Give the turn at which the bare prompt passes the room, or would at the mean growth of the kept turns."""
    known = [(row.turn, row.bare) for row in rows if row.bare is not None]
    over = next((turn for turn, bare in known if bare > room), None)
    if over is not None or len(known) < 2:
        return over
    (first, begun), (last, grown) = known[0], known[-1]
    growth = (grown - begun) / (last - first)
    return None if growth <= 0 else last + int((room - grown) // growth) + 1
