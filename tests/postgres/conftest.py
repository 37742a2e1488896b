"""One Postgres for the tests of a file, a database of its own for each test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from tests.postgres.server import new_database, running

_names = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    with running() as server:
        yield lambda: new_database(server, f"t{next(_names)}")


@pytest.fixture
def url(postgres: Callable[[], str]) -> str:
    return postgres()
