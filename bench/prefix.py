"""M4: how much of each prompt the server has read before, and how many tokens it reads anew in a turn, in both orders.

Usage: python -m bench.prefix [--turns 60] [--light same|none] [--keep 20] [--json FILE] [--engine-turns 20]

A scripted session (constraint changes, recalled memories, tool calls, compactions, internal calls) is played against a
server on loopback that keeps every request. What a server with one slot and no other cache would reuse is the longest
common beginning of a request's rendered prompt, in exact tokens, with what stands in the slot: the request before, its
reply included. That is llama.cpp with `cache_ram_mib=0`. The requests of the first `--engine-turns` turns are then sent
to llama.cpp with the embedded model (`--weights`), and to Ollama where OLLAMA_HOST is set (`--model` names its model).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

import httpx

from bench.figures import Goal, Kind, at_least, at_most, keep, told
from bench.prefix_engines import Read, on_llama_cpp, on_ollama
from ninefold import build_graph
from ninefold.adapters.tokens.encoding import qwen_encoding
from ninefold.adapters.tokens.template import render
from ninefold.adapters.weights.pull import model_file
from ninefold.home import data_folder
from ninefold.policies.neutralise import anchors
from ninefold.state import FidelitySettings, Language, NinefoldError, Order
from ninefold.state.settings import EMBEDDED_CHAT
from tests.turn.agents import Body, config, from_wire, server_count, settings, whole_prompt
from tests.wire.replies import Call, Reply, Say
from tests.wire.server import WireServer

REUSED_GOAL, EVALUATED_GOAL = 0.80, 500
CHANGES = {
    1: "我们来做一个仓库看板。不要用红色，所有金额用人民币。",
    8: "输出成 JSON。",
    15: "还有，不要用圆角。",
    22: "改成表格输出。",
    29: "现在可以用红色了。",
    36: "这次用英文回答，别的先不变。",
    43: "所有金额改用美元。",
    50: "回答不要超过 200 字。",
}
TOPICS = ("入库", "盘点", "出库", "退货", "报表", "权限", "打印", "排班", "预警", "接口")
ASKING = "之前说的{topic}，负责人是谁？编号是多少？"
TELLING = (
    "第 {n} 步讲{topic}。请记住：{topic}的负责人是{name}，编号是 {code}。"
    "仓库每天早上八点开始工作，货车从北门进来，先过磅再卸货，随后由两个人一起核对清单并签字。"
)
REPLY = (
    "关于{topic}：先核对清单，再录入系统，系统会生成编号 {code}，之后由班组长确认。"
    "如果数量对不上，就退回上一步重新清点，并在备注里写明原因；确认无误后打印标签，贴在外箱右上角。"
    "下一步可以继续说明相关的字段、权限和报表格式，也可以先看看历史数据里有没有类似的情况。"
)

KEPT = 12
"""Facts that the helpful model keeps in a summary."""


@dataclass
class Turn:
    """What one turn cost the server."""

    requests: int = 0
    internal: int = 0
    prompt: int = 0
    reused: int = 0
    rewritten: Counter[str] = field(default_factory=Counter)
    """Tokens read anew because of where the prompt first differs from what was in the slot."""

    @property
    def evaluated(self) -> int:
        """Prompt tokens that the server had to read."""
        return self.prompt - self.reused


@dataclass
class Recorded:
    """A request with its reply and the turn it belongs to."""

    turn: int
    body: Body
    reply: str


def subject(turn: int) -> str:
    """Give what a turn is about; every tenth turn comes back to what was told ten turns before, with new values."""
    number = turn - 10 if turn % 10 == 0 else turn
    return f"{number} 号区的{TOPICS[number % len(TOPICS)]}"


def words(turn: int) -> str:
    """Give what the person says in a turn."""
    topic = subject(turn)
    said = CHANGES.get(turn, "")
    if turn % 6 == 5:
        return said + ASKING.format(topic=subject(max(turn - 14, 2)))
    return said + TELLING.format(n=turn, topic=topic, name="林周吴郑王"[turn % 5] + "工", code=1000 + turn * 37)


def play(order: Order, turns: int, light: str, keep: int) -> tuple[list[Recorded], int]:
    """Play the session and give its requests and how many compactions it made."""
    now = [0]
    recorded: list[Recorded] = []

    def answer(body: Body) -> Reply:
        last = body["messages"][-1]
        if "format" in body:
            reply: Reply = Say(internal(body))
        elif last["role"] == "user" and now[0] % 7 == 3:
            reply = Call("get_current_time")
        else:
            reply = Say(REPLY.format(topic=subject(now[0]), code=1000 + now[0] * 37))
        recorded.append(Recorded(now[0], body, reply.text if isinstance(reply, Say) else ""))
        return reply

    with tempfile.TemporaryDirectory() as folder, WireServer(answer, count=server_count) as wire:
        chosen: Any = {"light_model": light, "order": order, "recent_keep": keep}
        agent = settings(wire.url, Path(folder), **chosen)
        # Every internal call there is: rules, summary and, where a light model answers at all, the veto.
        agent = agent.model_copy(update={"fidelity": FidelitySettings(model=light != "none")})
        graph = build_graph(agent)
        for turn in range(1, turns + 1):
            now[0] = turn
            graph.invoke({"messages": [{"role": "user", "content": words(turn)}]}, config())
        compactions = int(graph.get_state(config()).values["counters"].compactions)
    return recorded, compactions


def internal(body: Body) -> str:
    """Answer an internal call as a helpful model would: no rule but those that code finds, and what was to be kept."""
    wanted = json.dumps(body["format"])
    if "supported" in wanted:
        return json.dumps({"supported": True, "missing": ""})
    if "constraints" in wanted:
        return json.dumps({"constraints": []})
    told = list(dict.fromkeys(re.findall("请记住：([^。“”]+。)", whole_prompt(body))))
    return json.dumps({"decisions": [], "next_steps": [], "other_facts": told[-KEPT:]}, ensure_ascii=False)


def measured(recorded: list[Recorded], turns: int) -> list[Turn]:
    """Give what each turn cost a server with one slot."""
    encode = qwen_encoding("qwen2").encode
    found = [Turn() for _ in range(turns)]
    slot: list[int] = []
    for each in recorded:
        text = render([from_wire(m) for m in each.body["messages"]], each.body.get("tools") or ())
        prompt = encode(text, allowed_special="all")
        reused = min(common(slot, prompt), len(prompt) - 1)
        turn = found[each.turn - 1]
        turn.requests += 1
        turn.internal += "format" in each.body
        turn.prompt += len(prompt)
        turn.reused += reused
        turn.rewritten[cause(each, text, reused, len(slot), encode)] += len(prompt) - reused
        slot = encode(text + each.reply, allowed_special="all")
    return found


def common(slot: Sequence[int], prompt: Sequence[int]) -> int:
    """Give how many tokens two prompts begin with alike."""
    pairs = enumerate(zip(slot, prompt, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(slot), len(prompt)))


def cause(each: Recorded, text: str, reused: int, slot: int, encode: Any) -> str:
    """Say where the prompt first differs from what was in the slot."""
    if not slot:
        return "first prompt"
    if "format" in each.body:
        return "internal call"
    label = anchors(Language.CHINESE)
    at = {
        name: len(encode(text[: text.index(mark)], allowed_special="all")) if mark in text else None
        for name, mark in (("constraints", label.constraints), ("summary", label.summary), ("memories", label.memories))
    }
    system = len(encode(text[: text.index("<|im_end|>")], allowed_special="all"))
    if reused >= system:
        return "window cut or new text"
    started = [name for name, place in at.items() if place is not None and place <= reused + 2 and place < system]
    return f"{started[-1]} changed" if started else "head changed"


def engines(recorded: list[Recorded], chosen: argparse.Namespace) -> list[Read]:
    """Send the first turns' requests to the real servers that are there, and print what each says of it."""
    turns = min(chosen.engine_turns, chosen.turns)
    bodies = [each.body for each in recorded if each.turn <= turns]
    found: list[Read] = []
    try:
        weights = model_file(chosen.weights, data_folder())
        found.append(on_llama_cpp(bodies, weights, turns))
    except (NinefoldError, ImportError) as error:
        print(f"  llama.cpp left out: {error}")
    if url := os.environ.get("OLLAMA_HOST"):
        try:
            found.append(on_ollama(bodies, url if "://" in url else f"http://{url}", chosen.model, turns))
        except (LookupError, httpx.HTTPError) as error:
            print(f"  Ollama left out: {error}")
    else:
        print("  Ollama left out: OLLAMA_HOST is not set")
    for read in found:
        print(read.line)
    return found


def report(order: Order, turns: list[Turn], compactions: int, light: str) -> dict[str, Any]:
    """Print one order's figures beside the goals."""
    prompt = sum(t.prompt for t in turns)
    reused = sum(t.reused for t in turns) / prompt
    evaluated = (prompt - sum(t.reused for t in turns)) / len(turns)
    causes: Counter[str] = sum((t.rewritten for t in turns), Counter())
    calls = sum(t.internal for t in turns)
    print(
        f"{order.value:<13} reuse {reused:6.1%}  evaluated {evaluated:6.0f} a turn"
        f"  (requests {sum(t.requests for t in turns)}, internal {calls}, compactions {compactions}, light {light})"
    )
    for name, tokens in causes.most_common():
        print(f"    {tokens / len(turns):6.0f} a turn: {name}")
    if reused < REUSED_GOAL or evaluated > EVALUATED_GOAL:
        print(f"    goal missed: reuse {reused - REUSED_GOAL:+.1%}, evaluated {evaluated - EVALUATED_GOAL:+.0f}")
    return {
        "order": order.value,
        "light": light,
        "reuse": reused,
        "evaluated": evaluated,
        "compactions": compactions,
    } | {
        "causes": dict(causes),
        "turns": [vars(t) for t in turns],
    }


def main() -> None:
    """Print both orders, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--light", choices=["same", "none"], default="same")
    parser.add_argument("--keep", type=int, default=20, help="recent_keep; messages that the window holds at most")
    parser.add_argument("--engine-turns", type=int, default=20, help="turns played on real servers; 0 for none")
    parser.add_argument("--weights", default=EMBEDDED_CHAT, help="pulled weights or a GGUF file, for llama.cpp")
    parser.add_argument("--model", help="model on the Ollama server (default: its first Qwen 2 model)")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    print(f"python {platform.python_version()}, {platform.machine()}; {chosen.turns} turns,", end=" ")
    print(f"{sum(t <= chosen.turns for t in CHANGES)} constraint changes; goal ≥ {REUSED_GOAL:.0%}, ≤ {EVALUATED_GOAL}")
    figures = []
    for order in Order:
        recorded, compactions = play(order, chosen.turns, chosen.light, chosen.keep)
        figures.append(report(order, measured(recorded, chosen.turns), compactions, chosen.light))
        if chosen.engine_turns:
            figures[-1]["engines"] = [asdict(read) for read in engines(recorded, chosen)]
    goals = list(_goals(figures[list(Order).index(Order.STABLE)], figures))
    status = told(goals)
    keep("prefix", goals, {"orders": figures}, file=chosen.json)
    sys.exit(status)


def _goals(ours: dict[str, Any], every: Sequence[dict[str, Any]]) -> Iterator[Goal]:
    best = max((each["reuse"] for each in every if each is not ours), default=None)
    least = min((each["evaluated"] for each in every if each is not ours), default=None)
    reuse, read = ours["reuse"], round(ours["evaluated"])
    yield at_least("M4", "prefix reused, stable", reuse, REUSED_GOAL, best and round(best, 3), kind=Kind.TOKENS)
    yield at_most("M4", "tokens read a turn, stable", read, EVALUATED_GOAL, least and round(least), kind=Kind.TOKENS)


if __name__ == "__main__":
    main()
