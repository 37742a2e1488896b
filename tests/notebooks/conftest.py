"""The default model for the notebooks, where it is there."""

from pathlib import Path

import pytest

from tests.embedded.conftest import default_model


@pytest.fixture
def default_weights() -> Path:
    return default_model()
