"""Every error a caller can meet, one family: each names its cause and the next step, and loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage


class NinefoldError(Exception):
    """A named failure: `str(error)` is the cause followed by the next step.

    Args:
        cause: what happened, in one sentence, with the values that matter.
        next_step: what the person can do about it, a command where there is one.
    """

    def __init__(self, cause: str, next_step: str) -> None:
        super().__init__(f"{cause} {next_step}".strip())
        self.cause = cause
        self.next_step = next_step

    def __reduce__(self) -> tuple[type[NinefoldError], tuple[str, str]]:
        return type(self), (self.cause, self.next_step)


class SettingsError(NinefoldError):
    """A setting that cannot be used: unknown key, wrong value, or a budget that can never fit."""


class ContextOverBudget(NinefoldError):
    """What may never be left out of a prompt is larger than the model's window."""


class InputError(NinefoldError, ValueError):
    """Input that cannot become a turn: empty message, unsupported content block, missing thread id."""


class IdentityError(InputError):
    """A thread, user or checkpoint id that is missing, malformed or not the caller's."""


class ThreadBusy(NinefoldError):
    """Another turn holds this thread, and the bounded wait for it is over."""


class NothingPending(InputError):
    """A resume was sent to a thread that waits for no answer."""


class InvalidUpdate(NinefoldError, TypeError):
    """A node returned an update that the state does not take; the node and the field are named."""


class StepsExhausted(NinefoldError, RecursionError):
    """The caller's recursion_limit ended a turn; it can be taken up where it stands."""


class StorageError(NinefoldError):
    """The data folder or a database cannot be read or written."""


class SchemaError(StorageError):
    """Stored state of a version that this release cannot read."""


class MemoryStoreError(StorageError):
    """The memory store failed or belongs to another embedder."""


class EmbedderMismatch(MemoryStoreError):
    """The collection was written with another embedding model or distance."""


class ReferenceNotFound(NinefoldError, KeyError):
    """No archived content stands behind this reference id."""

    __str__ = Exception.__str__


class ModelUnavailable(NinefoldError):
    """The model gave no usable reply; the person's message is kept and the turn can be taken again."""

    partial: AIMessage | None = None
    """What had arrived of the reply, under the id it streamed under; None when nothing had."""
    attempts: int = 1
    """Calls in all that the trouble is worth: more than one where a moment may help and nothing can be doubled."""


class ModelDown(ModelUnavailable):
    """Nothing answers at the model server's address."""


class ModelMissing(ModelUnavailable):
    """The server or folder does not hold this model."""


class ModelTimeout(ModelUnavailable):
    """The model did not answer within the set time."""


class ModelRefused(ModelUnavailable):
    """The server answered with an error of its own."""


class ModelContextExceeded(ModelRefused):
    """The server says that the prompt is longer than its context."""


class ModelCutOff(ModelUnavailable):
    """The reply's stream ended before the model said that it was done."""


class ModelEmpty(ModelUnavailable):
    """The model answered with nothing, repeatedly."""


class InternalModelError(ModelUnavailable):
    """An internal call (extraction, summary, veto) gave a reply that its step cannot use."""
