"""A model whose summaries are refused is asked seldom, and never not at all."""

from ninefold.policies.compaction.patience import PATIENCE, SELDOM, worth_asking
from ninefold.state.turn_state import Counters


def test_a_model_that_is_refused_each_time_is_asked_at_one_compaction_of_eight() -> None:
    asked = [worth_asking(Counters(refused_summaries=count)) for count in range(PATIENCE + 5 * SELDOM)]
    assert asked[:PATIENCE] == [True] * PATIENCE
    assert asked[PATIENCE:] == ([False] * (SELDOM - 1) + [True]) * 5
