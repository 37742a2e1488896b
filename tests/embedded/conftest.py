"""One small real model for the tests of this folder, fetched once per machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from ninefold.adapters.embedded.chat import EmbeddedChat
from ninefold.adapters.weights.catalogue import DEFAULT_MODEL
from ninefold.adapters.weights.pull import list_models, pull
from ninefold.state import ModelDown

CACHE = Path(os.environ.get("NINEFOLD_TEST_CACHE") or Path.home() / ".cache" / "ninefold-tests")


def fetched(name: str) -> Path:
    """The weights from the tests' own cache, fetched the first time."""
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        # A second pull is refused, and the workers of one run begin at the same time.
        with FileLock(CACHE / "tests.lock"):
            return pull(name, CACHE)
    except ModelDown as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def smol_path() -> Path:
    """SmolLM2-135M: 98 MB, English only, quick enough for every test."""
    return fetched("smollm2-135m")


def default_model() -> Path:
    """The default model's weights: fetched where they are asked for, used wherever they are already there."""
    here = any(status.path and status.weights.name == DEFAULT_MODEL for status in list_models(CACHE))
    if not here and not os.environ.get("NINEFOLD_TEST_QWEN"):
        pytest.skip("set NINEFOLD_TEST_QWEN=1 to fetch the default model, 490 MB")
    return fetched(DEFAULT_MODEL)


@pytest.fixture(scope="session")
def qwen() -> Iterator[EmbeddedChat]:
    model = EmbeddedChat(model_path=default_model(), temperature=0, num_predict=32)
    yield model
    model.close()


@pytest.fixture(scope="session")
def smol(smol_path: Path) -> Iterator[EmbeddedChat]:
    model = EmbeddedChat(model_path=smol_path, num_ctx=2048, temperature=0, num_predict=24)
    yield model
    model.close()
