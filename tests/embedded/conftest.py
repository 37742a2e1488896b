"""One small real model for the tests of this folder, fetched once per machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ninefold.adapters.embedded.chat import EmbeddedChat
from ninefold.adapters.weights.pull import pull
from ninefold.state import ModelDown


@pytest.fixture(scope="session")
def smol_path() -> Path:
    """SmolLM2-135M: 98 MB, English only, quick enough for a test."""
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    cache = Path(os.environ.get("NINEFOLD_TEST_CACHE") or Path.home() / ".cache" / "ninefold-tests")
    try:
        return pull("smollm2-135m", cache)
    except ModelDown as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def smol(smol_path: Path) -> Iterator[EmbeddedChat]:
    model = EmbeddedChat(model_path=smol_path, num_ctx=2048, temperature=0, num_predict=24)
    yield model
    model.close()
