"""A conversation with the embedded model: the same turn, and a bar while it reads."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ninefold import build_graph
from ninefold.cli.beginning import warm
from ninefold.console.conversation import Conversation
from ninefold.console.happenings import Ended, Happening, Told, Written
from ninefold.state import AgentSettings, Language, ModelCalled, ModelMissing
from ninefold.wording import Wording
from tests.embedded.conftest import fetched


async def happenings(conversation: Conversation, text: str) -> list[Happening]:
    return [happening async for happening in conversation.say(text)]


def agent(folder: Path) -> AgentSettings:
    return AgentSettings.model_validate(
        {
            "model": {
                "provider": "embedded",
                "model_name": str(fetched("smollm2-135m")),
                "num_predict": 16,
                "num_ctx": 2048,
            },
            "memory": "off",
            "tools": [],
            "context_policy": {"fixed_tokens": 700},
            "storage": {"folder": str(folder)},
        }
    )


def test_an_embedded_model_tells_how_far_it_has_read_before_it_writes(tmp_path: Path) -> None:
    settings = agent(tmp_path)
    conversation = Conversation(build_graph(settings), "t1", "local", num_ctx=2048, folder=tmp_path)
    happened = asyncio.run(happenings(conversation, "Say hello."))
    read = [h.event for h in happened if isinstance(h, Told) and h.event["kind"] == "prompt_read"]
    first_word = next(at for at, happening in enumerate(happened) if isinstance(happening, Written))
    done = [event["done"] for event in read]
    assert done
    assert done == sorted(done)
    assert done[-1] <= read[-1]["total"]
    assert all(at < first_word for at, h in enumerate(happened) if isinstance(h, Told) and h.event in read)
    ended = happened[-1]
    assert isinstance(ended, Ended)
    assert ended.reply is not None
    written = "".join(h.text for h in happened if isinstance(h, Written))
    assert written.strip() == str(ended.reply.text).strip()


def test_the_system_prompt_is_read_before_the_first_message_comes(tmp_path: Path) -> None:
    settings = agent(tmp_path)
    loading = warm(settings, Wording(Language.ENGLISH))
    assert loading is not None
    loading.join(timeout=120)
    conversation = Conversation(build_graph(settings), "t1", "local", num_ctx=2048, folder=tmp_path)
    asyncio.run(happenings(conversation, "Say hello."))
    call = next(event for event in conversation.state()["trace"] if isinstance(event, ModelCalled))
    assert (call.cached_tokens or 0) > 100


def test_weights_that_are_missing_are_left_to_the_first_turn_to_name(tmp_path: Path) -> None:
    settings = AgentSettings.model_validate({"model": {"provider": "embedded"}, "storage": {"folder": str(tmp_path)}})
    loading = warm(settings, Wording(Language.CHINESE))
    assert loading is not None
    loading.join(timeout=60)
    with pytest.raises(ModelMissing, match="ninefold models pull"):
        build_graph(settings)
    assert warm(AgentSettings(), Wording(Language.ENGLISH)) is None
