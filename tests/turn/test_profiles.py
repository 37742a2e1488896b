"""Profiles: what is set beside them wins, an unknown one is named, and each changes the number it stands for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.profiles import LANGUAGES, MEASURES, Language, measured
from ninefold.settings_file import load_settings
from ninefold.state import AgentSettings, ConflictRule, ContextPolicy, MemorySettings, SettingsError
from ninefold.state.profile import PROFILES, ProfileName, profile_values
from tests.cli.shell import Shell
from tests.turn.agents import server_count
from tests.wire.server import WireServer, nobody_there

FOLDER = Path(__file__).parents[2] / "state" / "profiles"
MORE = ("support", "coding", "long_document")
TURN_WITHOUT_MEMORY = """
import sys
from ninefold import AgentSettings, build_graph
settings = AgentSettings(profile="core", model={"base_url": sys.argv[1]}, storage={"folder": sys.argv[2]})
said = {"messages": [{"role": "user", "content": "我喜欢绿茶，别再推荐咖啡。"}]}
print(build_graph(settings).invoke(said, {"configurable": {"thread_id": "t1"}})["outcome"].status.value)
print([name for name in sys.modules if name.partition(".")[0] in ("chromadb", "langchain_chroma")])
"""


def test_every_file_is_a_profile_and_every_profile_a_file() -> None:
    assert sorted(file.stem for file in FOLDER.iterdir()) == sorted(PROFILES) == sorted(MEASURES)


@pytest.mark.parametrize("name", PROFILES)
def test_each_value_has_its_reason_above_it_and_differs_from_the_default(name: ProfileName) -> None:
    lines = [line.strip() for line in (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()]
    values = [i for i, line in enumerate(lines) if not line.startswith("#") and line.partition(":")[2]]
    assert values
    assert [lines[i] for i in values if not lines[i - 1].startswith("#")] == []
    default, given = AgentSettings().model_dump(mode="json"), profile_values(name)
    for key, value in given.items():
        pairs = value.items() if isinstance(value, dict) else [(None, value)]
        assert all(each != (default[key][inner] if inner else default[key]) for inner, each in pairs), key


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_leaves_model_place_and_tools_alone(name: ProfileName) -> None:
    settings = AgentSettings(profile=name)
    assert not {"model", "embeddings", "storage", "tools", "policies"} & settings.model_fields_set


def test_what_is_set_beside_a_profile_wins_key_by_key(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text("agent:\n  profile: coding\n  context_policy: {tool_result_tokens: 500}\n", encoding="utf-8")
    coded = AgentSettings(profile="coding", context_policy=ContextPolicy(tool_result_tokens=500))
    assert load_settings(file) == coded
    assert (coded.context_policy.tool_result_tokens, coded.context_policy.max_tool_rounds) == (500, 16)
    assert AgentSettings(profile="core", memory=MemorySettings()).memory == MemorySettings()
    assert AgentSettings(profile="high_stakes").constraints.on_conflict is ConflictRule.ASK


def test_an_option_takes_the_place_of_the_file_s_profile(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text("agent:\n  profile: coding\n  context_policy: {recent_keep: 6}\n", encoding="utf-8")
    settings = load_settings(file, profile="support")
    policy = settings.context_policy
    assert (settings.profile, policy.recent_keep, policy.memory_search_top_k) == ("support", 6, 8)
    assert policy.max_tool_rounds == ContextPolicy().max_tool_rounds


def test_an_unknown_profile_is_named_with_its_line_and_all_there_are(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text("agent:\n  name: a\n  profile: codeing\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="line 3: There is no profile 'codeing'") as raised:
        load_settings(file)
    assert all(name in str(raised.value) for name in PROFILES)
    with pytest.raises(SettingsError, match="low_latency"):
        AgentSettings.model_validate({"profile": "fast"})


@pytest.mark.parametrize(("language", "said"), [("en", "There is no profile 'fast'."), ("zh", "没有配置档 'fast'。")])
def test_the_command_line_names_an_unknown_profile(language: str, said: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path, nobody_there())
    done = shell.run("chat", "--profile", "fast", "--say", "hi", "--lang", language)
    assert done.returncode == 1
    assert said in done.stderr
    assert all(name in done.stderr for name in PROFILES)


def test_the_command_line_takes_a_profile(tmp_path: Path) -> None:
    with WireServer(count=server_count) as wire:
        done = Shell(tmp_path, wire.url).run("chat", "--profile", "core", "--say", "请记住：我喜欢绿茶。")
    assert done.stdout.strip() == "OK."
    assert wire.embeds == []


def test_without_memory_a_turn_never_imports_chroma(tmp_path: Path) -> None:
    with WireServer(count=server_count) as wire:
        command = [sys.executable, "-c", TURN_WITHOUT_MEMORY, wire.url, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.split("\n")[:2] == ["answered", "[]"], done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PROFILES)
def test_each_profile_moves_its_number_on_the_wire(name: ProfileName, language: Language) -> None:
    row = measured(name, language)
    if name in MORE:
        assert row.on_profile > row.default
    else:
        assert row.on_profile == 0 < row.default
