"""K2: the one number that each profile changes, beside the default agent, in Chinese and in English.

Usage: python -m bench.profiles [--json FILE]

Each profile is played through one short scripted conversation against a server on loopback that keeps every request,
and so is the default agent; what is counted is read from those requests. It takes about a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from langchain_core.tools import BaseTool, tool

from bench.figures import keep
from ninefold import AgentSettings, build_graph, prepare
from ninefold.state.profile import ProfileName
from tests.turn.agents import MODEL, Agent, Body, config, server_count, system_text, whole_prompt
from tests.wire.replies import Call, Reply, Say
from tests.wire.server import WireServer

Language = Literal["zh", "en"]
LANGUAGES: Final[tuple[Language, ...]] = ("zh", "en")
NOTHING = json.dumps({"decisions": [], "next_steps": [], "other_facts": [], "constraints": [], "supported": True})
UNCLEAR = {
    "zh": "{n}、啰嗦我受不了，不太舒服。" + "我们在说仓库的看板和报表，" * 32 + "下一步做什么？",
    "en": "{n}. Long texts are something I dislike. "
    + "We talk about the warehouse and its board, " * 32
    + "what is next?",
}
THINGS = {
    "zh": ("水泵", "电梯", "锅炉", "空调", "路灯", "大门", "摄像头", "发电机", "货架"),
    "en": ("pump", "lift", "boiler", "fan", "lamp", "gate", "camera", "generator", "shelf"),
}
FACT = {
    "zh": "请记住：北斗项目的{thing}，资产编号是 C-{n}071。",
    "en": "Please remember: in project Dipper the {thing} has the asset number C-{n}071.",
}
ALL = {"zh": "北斗项目的资产编号有哪些？", "en": "What are the asset numbers in project Dipper?"}
DECIDED = {
    "zh": "我们决定第 {n} 章采用方案 P-{n}113，理由写在附录里面。",
    "en": "We decided that chapter {n} follows plan P-{n}113, the reasons are in the appendix. ",
}
RIVALS = {
    "zh": ("以后所有金额都用人民币。", "以后所有金额都用美元。"),
    "en": ("All amounts must be in euros.", "All amounts must be in dollars."),
}
RUN = {"zh": "运行测试，看看哪里错了。", "en": "Run the tests and look what is wrong."}


@tool
def run_tests() -> str:
    """Run the tests of the project."""
    return "\n".join(f"tests/test_part_{n}.py line {n}: passed in 0.{n:03} s" for n in range(400))


def internal(body: Body) -> bool:
    """Tell whether a request is a step's own and not the reply's."""
    return bool(body.get("format"))


@contextmanager
def playing(
    profile: ProfileName | None,
    folder: Path,
    script: Sequence[Reply] | Callable[[Body], Reply] | None = None,
    tools: Sequence[BaseTool] = (),
) -> Iterator[Agent]:
    """Give an agent on a profile, whose model is a server that keeps every request."""

    def plain(body: Body) -> Reply:
        return Say(NOTHING) if internal(body) else Say("OK.")

    with WireServer(script or plain, count=server_count) as wire:
        settings = AgentSettings.model_validate(
            {
                "profile": profile,
                "model": {"base_url": wire.url, "model_name": MODEL},
                "embeddings": {"base_url": wire.url},
                "storage": {"folder": str(folder)},
            }
        )
        yield Agent(build_graph(settings, tools=tools), wire, settings)


def embeddings_asked_for(profile: ProfileName | None, language: Language, folder: Path) -> int:
    """Give the requests to the embedder in three turns that tell something worth keeping."""
    with playing(profile, folder) as agent:
        for n, thing in enumerate(THINGS[language][:3]):
            agent.say(FACT[language].format(n=n, thing=thing))
        return len(agent.wire.embeds)


def internal_calls(profile: ProfileName | None, language: Language, folder: Path) -> int:
    """Give the requests beside the replies in three turns with wishes that no rule hears."""
    with playing(profile, folder) as agent:
        for n in range(1, 4):
            agent.say(UNCLEAR[language].format(n=n))
        return sum(map(internal, agent.wire.chats))


def memories_in_the_prompt(profile: ProfileName | None, language: Language, folder: Path) -> int:
    """Give how many of nine facts of another session stand in the prompt of a question for all of them."""
    things = THINGS[language]
    with playing(profile, folder) as agent:
        for n, thing in enumerate(things):
            agent.say(FACT[language].format(n=n, thing=thing))
        agent.say(ALL[language], thread="t2")
        return sum(f"C-{n}071" in whole_prompt(agent.wire.chats[-1]) for n in range(len(things)))


def lines_of_a_result(profile: ProfileName | None, language: Language, folder: Path) -> int:
    """Give how many of the 400 lines of a tool's result the model is shown."""

    def script(body: Body) -> Reply:
        return Say("OK.") if body["messages"][-1]["role"] == "tool" else Call("run_tests")

    with playing(profile, folder, script, [run_tests]) as agent:
        agent.say(RUN[language])
        return sum(f"line {n}:" in whole_prompt(agent.wire.chats[-1]) for n in range(400))


def decisions_in_the_summary(profile: ProfileName | None, language: Language, folder: Path) -> int:
    """Give how many of sixty decisions, five in a turn, stand in the head of the last prompt."""
    with playing(profile, folder) as agent:
        for turn in range(12):
            agent.say("".join(DECIDED[language].format(n=5 * turn + n) for n in range(5)))
        head = system_text(agent.wire.chats[-1])
        return sum(f"P-{n}113" in head for n in range(60))


def rivals_settled_unasked(profile: ProfileName | None, language: Language, folder: Path) -> int:
    """Give how many replies are written to a wish against an older one before the person has chosen."""
    first, second = RIVALS[language]
    with playing(profile, folder) as agent:
        agent.say(first)
        before = len(agent.wire.chats)
        agent.graph.invoke({"messages": [{"role": "user", "content": second}]}, config())
        return sum(not internal(body) for body in agent.wire.chats[before:])


def calls_that_a_person_waits_for(profile: ProfileName | None, language: Language, folder: Path) -> int:
    """Give the requests beside the replies within twelve turns, with summaries prepared between them."""
    waited = 0
    with playing(profile, folder) as agent:
        for n in range(1, 13):
            before = len(agent.wire.chats)
            agent.say(UNCLEAR[language].format(n=n))
            waited += sum(map(internal, agent.wire.chats[before:]))
            prepare(agent.graph, config())
    return waited


Measure = Callable[[ProfileName | None, Language, Path], int]
MEASURES: Final[dict[ProfileName, tuple[str, Measure]]] = {
    "core": ("requests to the embedder in 3 turns", embeddings_asked_for),
    "short_chat": ("calls of the model beside 3 replies", internal_calls),
    "support": ("of 9 facts of another session, in the prompt", memories_in_the_prompt),
    "coding": ("of 400 lines of a tool's result, shown to the model", lines_of_a_result),
    "long_document": ("of 60 decisions, in the summary", decisions_in_the_summary),
    "high_stakes": ("replies to a rival wish before the person chose", rivals_settled_unasked),
    "low_latency": ("calls that 12 replies waited for", calls_that_a_person_waits_for),
}


@dataclass(frozen=True)
class Measured:
    """One profile's number, and the default agent's."""

    profile: ProfileName
    language: Language
    default: int
    on_profile: int


def measured(profile: ProfileName, language: Language) -> Measured:
    """Give a profile's number beside the default agent's."""
    _, measure = MEASURES[profile]
    with tempfile.TemporaryDirectory() as folder:
        default = measure(None, language, Path(folder) / "default")
        return Measured(profile, language, default, measure(profile, language, Path(folder) / profile))


def main() -> None:
    """Print the table, and write it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print(f"{'profile':<14} {'language':<9} {'default':>7} {'profile':>8}  what is counted")
    for profile, (counted, _) in MEASURES.items():
        for language in LANGUAGES:
            row = measured(profile, language)
            rows.append(asdict(row) | {"counted": counted})
            print(f"{profile:<14} {language:<9} {row.default:>7} {row.on_profile:>8}  {counted}", flush=True)
    keep("profiles", [], {"rows": rows}, file=given.json)


if __name__ == "__main__":
    main()
