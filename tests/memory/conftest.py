"""What the tests of memory share: stores with one contract, and one store of each kind for whole turns."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.nodes.ports import MemoryStore
from ninefold.state import MemoryKind

from .bag_of_words import BagOfWords
from .stores import STAMP, Opener, at

PREFERENCES = (MemoryKind.PREFERENCE, MemoryKind.PROFILE)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("chroma")),
        "run",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--path",
    ]
    process = subprocess.Popen([*command, str(tmp_path_factory.mktemp("server"))], stdout=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="session")
def elastic() -> Iterator[str]:
    """A real Elasticsearch where `ES_URL` names one."""
    if "ES_URL" in os.environ:
        yield os.environ["ES_URL"]
        return
    pytest.importorskip("osmem_server")
    from .elastic_server import ElasticServer

    served = ElasticServer()
    try:
        yield served.url
    finally:
        served.close()


@pytest.fixture(params=["in memory", "chroma in a folder", "chroma server", "elasticsearch"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    def open_store(embeddings: BagOfWords) -> MemoryStore:
        match request.param:
            case "in memory":
                return InMemoryMemory(embeddings, STAMP)
            case "chroma in a folder":
                return at(tmp_path / "memories", ChromaMemory(tmp_path / "memories", embeddings, STAMP))
            case "elasticsearch":
                from ninefold.adapters.memory.elastic import ElasticMemory

                address = request.getfixturevalue("elastic")
                kept = ElasticMemory(f"elasticsearch+{address}", embeddings, STAMP)
                for user in ("ann", "ann1", "ANN"):
                    kept.delete(user, [record.id for record in kept.records(user)])
                return at(f"elasticsearch+{address}", kept)
            case _:
                url = request.getfixturevalue("server")
                store = ChromaMemory(url, embeddings, STAMP)
                for user in ("ann", "ann1", "ANN"):
                    store.delete(user, [record.id for record in store.records(user)])
                return at(url, store)

    return open_store


@pytest.fixture
def store(opened: Opener) -> MemoryStore:
    return opened(BagOfWords())


@pytest.fixture(params=["in memory", "chroma"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryStore:
    if request.param == "chroma":
        return ChromaMemory(tmp_path, BagOfWords(), STAMP)
    return InMemoryMemory(BagOfWords(), STAMP)
