"""What every test stands on: LangGraph's strict reading of checkpoints, and a data folder that is nobody's own."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import LAWS

# langgraph reads it when it is imported, which no plugin has done yet.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

# A shared processor makes any time limit on a single example a coin toss.
settings.register_profile("shared-processor", deadline=None)
settings.register_profile(LAWS, deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared-processor")


@pytest.fixture(scope="session", autouse=True)
def _data_folder_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NINEFOLD_HOME", str(tmp_path_factory.mktemp("home")))
        yield
