"""agent.yaml: the seeds' own file works, and whatever is wrong is named with its line and what is allowed."""

from pathlib import Path

import pytest

from ninefold.settings_file import load_settings
from ninefold.state import AgentSettings, SettingsError

AGENT = """\
agent:
  name: local_context_agent
  model:
    provider: ollama
    base_url: http://localhost:11434
    model_name: qwen2.5:14b
    temperature: 0.3
    num_ctx: 8192
  context_policy:
    recent_keep: 20
    summary_threshold_tokens: 3500
    memory_search_top_k: 5
    memory_search_min_score: 0.45
  tools:
    - memory_write
    - memory_search
    - get_current_time
"""


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "agent.yaml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def refusal(folder: Path, text: str | bytes) -> str:
    with pytest.raises(SettingsError) as raised:
        load_settings(written(folder, text))
    return str(raised.value)


def test_the_plain_file_works_as_it_stands(tmp_path: Path) -> None:
    agent = load_settings(written(tmp_path, AGENT))
    assert (agent.name, agent.model.model_name, agent.model.num_ctx) == ("local_context_agent", "qwen2.5:14b", 8192)
    assert agent.context_policy.memory_search_min_score == 0.45
    assert agent.tools == ("memory_write", "memory_search", "get_current_time")


def test_what_a_file_leaves_out_has_its_default(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "agent: {}")) == AgentSettings()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "num_ctx:",
            "num_context:",
            ['line 8: unknown key "num_context" under "agent.model"', '"num_ctx"', "keep_alive"],
        ),
        (
            "recent_keep: 20",
            "recent_keep: 0",
            ["line 10: agent.context_policy.recent_keep", "greater than or equal to 2"],
        ),
        (
            "provider: ollama",
            "provider: openai",
            ["line 4: agent.model.provider", "one of 'ollama', 'embedded'", "'openai'"],
        ),
        ("num_ctx: 8192", "num_ctx: viel", ["line 8: agent.model.num_ctx", "integer", "'viel'"]),
        ("- memory_search", "- memory_serach", ["line 16: agent.tools.2", "'memory_search'", "'memory_serach'"]),
        ("  name:", "  nam: a\n  name:", ["line 2", '"nam"', '"name"']),
        ("  name:", "  name: a\n  name:", ["line 3", "'name'", "second time"]),
        ("  name:", "\tname:", ["line 2", "spaces"]),
        ("agent:", "agents:", ["line 1", '"agents"', "Allowed keys: agent"]),
        (
            "  name:",
            "  light_model: {model: x}\n  name:",
            ["line 2", '"model" under "agent.light_model"', "model_name"],
        ),
        ("  name:", "  light_model: big\n  name:", ["line 2: agent.light_model", "one of 'none', 'same'"]),
        ("  name:", "  constraints: ask\n  name:", ["line 2: agent.constraints", "keys are expected", "on_conflict"]),
        ("  name:", "  name: &a x\n  system_prompt: *a\n  xname:", ["line 3", "alias"]),
        ("  name:", "  name: !!python/name:os.system x\n  xname:", ["line 2"]),
        ("num_ctx: 8192", "num_ctx: 1024", ["line 1: agent", "num_predict 1024", "num_ctx 1024"]),
    ],
)
def test_a_fault_is_named_with_line_key_and_what_is_allowed(
    tmp_path: Path, old: str, new: str, said: list[str]
) -> None:
    message = refusal(tmp_path, AGENT.replace(old, new, 1))
    assert str(tmp_path / "agent.yaml") in message
    for words in said:
        assert words in message


def test_all_faults_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    message = refusal(tmp_path, AGENT.replace("name:", "nam:", 1).replace("8192", "8"))
    assert "line 2" in message
    assert "line 8" in message


def test_a_default_that_follows_from_a_wrong_value_is_no_fault_of_its_own(tmp_path: Path) -> None:
    message = refusal(tmp_path, "agent:\n  model: {provider: openai}\n")
    assert message.count("line ") == 1
    assert "agent.model.provider" in message


@pytest.mark.parametrize("text", ["", "# nothing\n", "- agent\n", "agent\n", "null\n"])
def test_a_file_without_an_agent_is_refused(tmp_path: Path, text: str) -> None:
    assert "defines no agent" in refusal(tmp_path, text)


def test_text_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    assert "line 2: not UTF-8" in refusal(tmp_path, "agent:\n  name: 名字\n".encode("gb18030"))


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no file .*none\.yaml"):
        load_settings(tmp_path / "none.yaml")
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path)


@pytest.mark.parametrize(
    ("written_as", "off"), [("off", True), ("'off'", True), ("false", True), ("on", False), ("{}", False)]
)
def test_memory_can_be_switched_off_in_yamls_own_words(tmp_path: Path, written_as: str, off: bool) -> None:
    agent = load_settings(written(tmp_path, f"agent:\n  memory: {written_as}\n  summary: off\n"))
    assert (agent.memory == "off") is off
    assert agent.summary is False


def test_a_relative_data_folder_belongs_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    agent = load_settings(written(tmp_path, "agent:\n  storage: {folder: data}\n"))
    assert agent.storage.folder == str(tmp_path / "data")


def test_chinese_content_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    text = "\ufeffagent:\n  name: 客服\n  system_prompt: 你是客服。\n"
    assert load_settings(written(tmp_path, text)).system_prompt == "你是客服。"


@pytest.mark.parametrize("text", ["model: {num_ctx: 4096}\n", "{}\n"])
def test_a_file_without_an_agent_says_what_is_missing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError, match="agent is missing"):
        load_settings(file)
