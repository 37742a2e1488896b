"""Encryption at rest: checkpoints through LangGraph's own encrypting serialiser, archive values under the same key."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.store.base import BaseStore, Item, Op, PutOp, Result

from ninefold.state import SettingsError, StorageError

from .archive.whole_thread import keys_of
from .sqlite_files import Compactable
from .threads import to_its_end

SEALED = "sealed"
"""The one field of an encrypted archive value."""


def encrypting(variable: str, environment: Mapping[str, str]) -> Encrypting:
    """Give the serialiser under the key in an environment variable: 32 bytes as base64 (`openssl rand -base64 32`).

    Raises:
        SettingsError: the variable holds no such key, or the extra `encryption` is not installed.
    """
    try:
        key = base64.b64decode(environment.get(variable, ""), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != 32:
        raise SettingsError(
            f"The environment variable {variable} holds no key of 32 bytes in base64.",
            f'Set it, as in `export {variable}="$(openssl rand -base64 32)"`, and keep it: nothing is read without it.',
        )
    inner = JsonPlusSerializer(allowed_msgpack_modules=None)
    try:
        return Encrypting(EncryptedSerializer.from_pycryptodome_aes(inner, key=key))
    except ImportError as error:
        raise SettingsError(
            "Encryption needs a package that is not installed.", "Run `pip install 'ninefold[encryption]'`."
        ) from error


@dataclass(frozen=True)
class Encrypting(SerializerProtocol):
    """LangGraph's EncryptedSerializer, whose failure names the key; under AES-EAX a changed byte is a failure too."""

    inner: EncryptedSerializer

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Give the type tag and the encrypted bytes of a value."""
        return self.inner.dumps_typed(obj)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Give a value; one that was written before encryption was turned on is read as it is.

        Raises:
            StorageError: it was encrypted with another key, or changed since.
        """
        try:
            return self.inner.loads_typed(data)
        except ValueError as error:
            raise StorageError(
                "What is stored was encrypted with another key, or was changed since.",
                "Set the key that wrote it; if it is set, the file was damaged or tampered with.",
            ) from error


class SealedStore(BaseStore):
    """A store whose values are encrypted; namespaces and keys are not, and nothing can be searched by content.

    Args:
        inner: keeps the sealed values.
        serde: encrypts them.
    """

    def __init__(self, inner: BaseStore, serde: Encrypting) -> None:
        self._inner = inner
        self._serde = serde

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the operations with sealed values."""
        return [self._opened(result) for result in self._inner.batch([self._sealed(op) for op in ops])]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do `batch` without blocking the event loop."""
        return await to_its_end(self.batch, list(ops))

    def keys(self, namespace: tuple[str, ...]) -> list[str]:
        """Give every key of exactly this namespace."""
        return keys_of(self._inner, namespace)

    def vacuum(self) -> None:
        """Give the disk back what deleted rows held, where the store behind it is a file."""
        if isinstance(self._inner, Compactable):
            self._inner.vacuum()

    def _sealed(self, op: Op) -> Op:
        if not isinstance(op, PutOp) or op.value is None:
            return op
        tag, data = self._serde.dumps_typed(json.dumps(op.value))
        return op._replace(value={SEALED: f"{tag}:{base64.b64encode(data).decode()}"}, index=False)

    def _opened(self, result: Result) -> Result:
        if isinstance(result, list):
            return cast("Result", [self._opened(cast("Result", each)) for each in result])
        if isinstance(result, Item) and isinstance(sealed := result.value.get(SEALED), str):
            tag, _, data = sealed.partition(":")
            result.value = json.loads(self._serde.loads_typed((tag, base64.b64decode(data))))
        return result


def refuse_sealed(tag: str) -> NoReturn:
    """Refuse what was encrypted and is read without a key.

    Raises:
        StorageError: always.
    """
    raise StorageError(
        f"What is stored was encrypted ({tag.rpartition('+')[2]}), and no key is set.",
        "Name the environment variable of the key in `storage.encryption_key`.",
    )
