"""The laws of every counter: sums, bounds, clips and corrections."""

import string
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ninefold.adapters.tokens import BoundCounter, Counter, QwenCounter, corrected, for_model
from ninefold.adapters.tokens.encoding import SPECIAL_TOKENS
from ninefold.adapters.tokens.tool_block import Dialect
from ninefold.nodes.ports import TokenCounter
from tests.tokens.cases import FOUR, TEXTS

QWEN = QwenCounter()
BOUND = BoundCounter()
FAMILY = for_model("ollama", "qwen3:8b")
CORRECTED = corrected(QWEN, 1.07)
COUNTERS: list[Counter] = [QWEN, BOUND, FAMILY, CORRECTED]

specials = st.sampled_from(SPECIAL_TOKENS["qwen2"])
texts = st.lists(st.one_of(st.text(max_size=20), specials, st.sampled_from(list(TEXTS.values())))).map("".join)
replies = st.one_of(
    texts.map(AIMessage),
    texts.map(lambda text: AIMessage("", tool_calls=[{"name": "lookup_order", "args": {"order_id": text}, "id": "c"}])),
)
questions = st.one_of(texts.map(HumanMessage), texts.map(lambda text: ToolMessage(text, tool_call_id="c")))
turns = st.lists(st.tuples(replies, questions), max_size=3)


def _prompt(system: str, ask: str, rest: Sequence[tuple[BaseMessage, BaseMessage]]) -> list[BaseMessage]:
    return [SystemMessage(system), HumanMessage(ask), *(message for pair in rest for message in pair)]


@given(texts.map(lambda text: text + "x"), texts, turns, st.sampled_from([(), FOUR, FOUR[:1]]))
def test_a_prompt_is_its_messages_and_the_overhead(
    system: str, ask: str, rest: Sequence[tuple[BaseMessage, BaseMessage]], tools: Sequence[dict[str, object]]
) -> None:
    messages = _prompt(system, ask, rest)

    for counter in COUNTERS[:3]:
        assert counter.prompt(messages, tools) == counter.overhead(tools) + sum(map(counter.message, messages))


@given(
    st.lists(st.one_of(replies, questions, texts.map(SystemMessage)), max_size=5), texts, st.sampled_from([(), FOUR])
)
def test_a_prompt_of_any_order_is_at_most_its_parts(
    rest: list[BaseMessage], system: str, tools: Sequence[dict[str, object]]
) -> None:
    messages = [SystemMessage(f"s{system}"), *rest]

    for counter in COUNTERS:
        assert counter.prompt(messages, tools) <= counter.overhead(tools) + sum(map(counter.message, messages))


@given(texts)
def test_no_bound_is_under_the_exact_count(text: str) -> None:
    exact = QWEN.text(text)

    assert BOUND.text(text) >= exact
    assert CORRECTED.text(text) >= exact
    assert BOUND.message(HumanMessage(text)) >= QWEN.message(HumanMessage(text))


@given(texts, st.integers(0, 40), st.booleans(), st.sampled_from(COUNTERS))
def test_a_clip_is_an_end_of_the_text_within_the_limit(text: str, limit: int, tail: bool, counter: Counter) -> None:
    kept = counter.clip(text, limit, tail=tail)

    assert text.endswith(kept) if tail else text.startswith(kept)
    assert not kept or counter.text(kept) <= limit
    assert kept == text or counter.text(text) > limit or limit <= 0


@given(texts, st.integers(1, 40), st.booleans())
def test_a_clip_cuts_no_control_token_in_two(text: str, limit: int, tail: bool) -> None:
    kept = QWEN.clip(text, limit, tail=tail)
    rest = text[: len(text) - len(kept)] if tail else text[len(kept) :]
    whole = sum(text.count(token) for token in SPECIAL_TOKENS["qwen2"])

    assert sum(part.count(token) for part in (kept, rest) for token in SPECIAL_TOKENS["qwen2"]) == whole


@pytest.mark.parametrize("tail", [False, True])
def test_a_clip_keeps_as_much_as_the_limit_allows(tail: bool) -> None:
    text = "请把上面的第二个订单退掉，金额是 1,299.50 元。 Then tell me when it is done. " * 200

    kept = QWEN.clip(text, 500, tail=tail)

    assert 495 <= QWEN.text(kept) <= 500


@given(texts, st.floats(0.1, 3.0))
def test_a_correction_only_ever_raises(text: str, factor: float) -> None:
    assert corrected(QWEN, factor).text(text) >= QWEN.text(text)
    assert corrected(QWEN, factor).text(text) < QWEN.text(text) * max(1.0, factor) + 1


def test_a_correction_that_raises_is_said_and_no_longer_exact() -> None:
    assert corrected(QWEN, 1.0) is QWEN
    assert not CORRECTED.exact
    assert CORRECTED.name == "qwen2.5 (exact) × 1.07"


def test_every_counter_is_the_port_that_the_steps_ask() -> None:
    ports: list[TokenCounter] = [*COUNTERS]

    assert all(port.name for port in ports)


def test_chinese_history_costs_what_the_tokenizer_says_and_not_a_quarter_of_its_characters() -> None:
    sentence = TEXTS["chinese"]
    history: list[BaseMessage] = [SystemMessage("规则"), *[HumanMessage(sentence), AIMessage(sentence)] * 50]
    characters = sum(len(str(message.content)) for message in history)

    assert QWEN.prompt(history) > 2 * characters / 4
    assert BOUND.prompt(history) >= QWEN.prompt(history)


@pytest.mark.parametrize("token", [*SPECIAL_TOKENS["qwen3"], "<|eot_id|>"])
def test_control_tokens_in_any_text_are_counted_and_never_raise(token: str) -> None:
    for counter in COUNTERS:
        assert counter.text(f"a{token}b") >= 3
        assert f"a{token}b".startswith(counter.clip(f"a{token}b", 2))


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
def test_lone_surrogates_are_counted_and_never_raise(counter: Counter) -> None:
    assert counter.text("坏\ud83d字") >= 3
    assert counter.message(HumanMessage("坏\ud83d字")) > counter.text("坏\ud83d字")


def test_a_repeated_message_is_measured_once() -> None:
    measured: list[str] = []

    def measure(text: str) -> int:
        measured.append(text)
        return len(text)

    counter = BoundCounter(measure=measure)
    history = [HumanMessage("one"), AIMessage("two")]
    for _ in range(3):
        counter.prompt(history)

    assert sorted(measured) == ["", "one", "two"]


@pytest.mark.parametrize(
    ("provider", "model", "name"),
    [
        ("ollama", "qwen2.5:14b", "qwen2.5 (exact)"),
        ("ollama", "qwen2.5-coder:0.5b", "qwen2.5 (exact)"),
        ("ollama", "library/qwen2.5", "qwen2.5 (exact)"),
        ("ollama", "someone/qwen2.5:7b", "qwen2.5 (exact tokenizer, bounded template)"),
        ("ollama", "qwen3:8b", "qwen3 (exact tokenizer, bounded template)"),
        ("ollama", "hf.co/Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M", "qwen2.5 (exact tokenizer, bounded template)"),
        ("embedded", "/m/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", "qwen2.5 (exact tokenizer, bounded template)"),
        ("embedded", "/qwen2.5/SmolLM2-135M.gguf", "upper bound (UTF-8 bytes)"),
        ("ollama", "qwen3.5:9b", "upper bound (UTF-8 bytes)"),
        ("ollama", "deepseek-r1-distill-qwen-32b", "upper bound (UTF-8 bytes)"),
        ("ollama", "llama3.2:3b", "upper bound (UTF-8 bytes)"),
    ],
)
def test_the_counter_chosen_is_exact_only_where_tokenizer_and_template_are_known(
    provider: str, model: str, name: str
) -> None:
    assert for_model(provider, model).name == name


def test_a_template_that_is_not_the_published_one_is_not_counted_as_exact() -> None:
    assert not for_model("ollama", "qwen2.5:7b", template="{{ .Prompt }}").exact


@pytest.mark.parametrize("model", ["qwen2.5", "qwen2.5-coder"])
def test_a_published_template_is_known_under_any_tag_of_the_family(model: str) -> None:
    template = (Path(__file__).parent / "templates" / f"{model}.gotmpl").read_text(encoding="utf-8")
    chosen = for_model("ollama", "someone/qwen2.5-tuned", template=template, system="")
    prompt = [HumanMessage("?")], FOUR

    assert chosen.exact
    assert chosen.prompt(*prompt) == QwenCounter(dialects=(Dialect(coder="coder" in model),)).prompt(*prompt)
    assert chosen.prompt([HumanMessage("?")]) < for_model("ollama", model).prompt([HumanMessage("?")])


def test_a_newer_server_is_counted_by_the_dearest_form_of_its_tools() -> None:
    newer = for_model("ollama", "qwen2.5:14b", server_version="0.13.5")
    names: Mapping[str, object] = {"type": "array", "description": "all of them", "items": {"type": "string"}}
    parameters = {"type": "object", "properties": {"names": names}, "required": ["names"]}
    lists = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": parameters}}]

    assert not newer.exact
    assert newer.overhead(lists) > QWEN.overhead(lists)
    assert for_model("ollama", "qwen2.5:14b", server_version="0.5.4").exact


def test_printable_text_is_bounded_by_its_bytes() -> None:
    assert BOUND.text(string.printable) == len(string.printable) + 1
    assert BOUND.text("好") == 4
    assert BOUND.text("\ud83d") == 4
