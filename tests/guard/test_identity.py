"""Whose turn it is is checked before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from ninefold.graph.guard import Guard
from ninefold.graph.identity import identity_of
from ninefold.state import IdentityError
from tests.guard.toy import on, rows, say, sqlite_toy, toy

BAD = [None, "", "  ", 1, 1.5, True, ["t"], "x" * 257, "a\0b", "a\nb", "\x7f", "\ud800"]


@pytest.mark.parametrize("thread", BAD, ids=repr)
def test_a_thread_id_that_is_not_plain_text_is_refused_and_writes_nothing(thread: object, tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    with pytest.raises(IdentityError, match="thread_id"):
        graph.invoke(say("hi"), {"configurable": {"thread_id": thread}})
    assert rows(graph) == 0


def test_a_missing_thread_id_is_refused_with_the_way_to_give_one() -> None:
    with pytest.raises(IdentityError, match="configurable"):
        toy().invoke(say("hi"))


@pytest.mark.parametrize("thread", ["../x", "x" * 256, "..", "a.b%2E/c\\d", "线程 一", "'; drop table checkpoints"])
def test_any_other_text_is_one_thread_of_its_own(thread: str, tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    graph.invoke(say("other"), on("x"))
    graph.invoke(say("mine"), on(thread))
    assert graph.get_state(on(thread)).values["messages"][0].text == "mine"
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {tmp_path}


def test_the_user_is_local_unless_one_is_named() -> None:
    assert identity_of({"thread_id": "t"}).user == "local"
    assert identity_of({"thread_id": "t", "user_id": ""}).user == "local"
    assert identity_of({"thread_id": "t", "user_id": "ann"}).user == "ann"


def test_a_server_that_knows_the_person_is_believed_before_the_caller() -> None:
    assert identity_of({"thread_id": "t", "user_id": "bob", "langgraph_auth_user_id": "ann"}).user == "ann"
    assert identity_of({"thread_id": "t", "user_id": "", "langgraph_auth_user_id": "ann"}).user == "ann"


def test_a_store_that_many_share_takes_no_default_user() -> None:
    with pytest.raises(IdentityError, match="user_id"):
        identity_of({"thread_id": "t"}, None)


def test_a_thread_belongs_to_who_opened_it() -> None:
    graph = toy()
    graph.invoke(say("secret"), on(user_id="ann"))
    for given in (say("hi"), None):
        with pytest.raises(IdentityError, match="another user"):
            graph.invoke(given, on(user_id="bob"))
    with pytest.raises(IdentityError, match="another user"):
        graph.update_state(on(user_id="bob"), {"task": None})
    graph.invoke(say("again"), on(user_id="ann"))


async def test_a_thread_is_shown_to_who_opened_it_alone() -> None:
    graph = toy()
    graph.invoke(say("secret"), on(user_id="ann"))
    for other in (on(user_id="bob"), on()):
        with pytest.raises(IdentityError, match="another user"):
            graph.get_state(other)
        with pytest.raises(IdentityError, match="another user"):
            next(graph.get_state_history(other))
        with pytest.raises(IdentityError, match="another user"):
            await graph.aget_state(other)
        with pytest.raises(IdentityError, match="another user"):
            await anext(graph.aget_state_history(other))
    assert graph.get_state(on("a thread that nobody opened", user_id="bob")).values == {}


def test_a_config_that_a_state_names_can_be_handed_back() -> None:
    graph = toy()
    for words in ("first", "second"):
        graph.invoke(say(words), on(user_id="ann"))
    earlier = [*graph.get_state_history(on(user_id="ann"))][-1]
    assert graph.get_state(earlier.config).values["turn"].number == 1
    graph.invoke(say("instead"), earlier.config)
    now = graph.get_state(on(user_id="ann"))
    assert [message.text for message in now.values["messages"]] == ["first", "re:first", "instead", "re:instead"]
    assert now.parent_config is not None
    assert graph.get_state(now.parent_config).values["turn"].number == 1


def test_a_server_that_signs_people_in_may_read_on_its_own_behalf() -> None:
    graph = toy(settings=Guard(default_user=None, served=True))
    graph.invoke(say("secret"), on(user_id="ann"))
    assert graph.get_state(on()).values["owner"] == "ann"
    with pytest.raises(IdentityError, match="another user"):
        graph.get_state(on(user_id="bob"))
    shared = toy(cast("Any", graph.checkpointer), settings=Guard(default_user=None))
    with pytest.raises(IdentityError, match="user_id"):
        shared.get_state(on())


def test_an_unknown_checkpoint_is_refused_instead_of_starting_from_nothing() -> None:
    graph = toy()
    graph.invoke(say("hi"), on())
    with pytest.raises(IdentityError, match="no checkpoint"):
        graph.invoke(say("ho"), on(checkpoint_id="1f1ec4c2-4041-68e6-8002-334eef9495a0"))
    assert len(graph.get_state(on()).values["messages"]) == 2


def test_the_longest_ids_make_a_turn() -> None:
    graph = toy()
    graph.invoke(say("hi"), on("x" * 256, user_id="u" * 256, turn_id="t" * 200))
    with pytest.raises(IdentityError, match="turn_id"):
        graph.invoke(say("hi"), on(turn_id="t" * 201))
