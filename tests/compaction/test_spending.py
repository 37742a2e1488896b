"""What internal calls may cost, and that a model whose answers bring nothing is asked seldom, and never not at all."""

from ninefold.policies.spending import AHEAD, PATIENCE, SELDOM, affordable, worth_asking
from ninefold.state.turn_state import Counters


def test_a_model_that_answers_in_vain_is_asked_at_one_occasion_of_eight() -> None:
    asked = [worth_asking(count) for count in range(PATIENCE + 5 * SELDOM)]
    assert asked[:PATIENCE] == [True] * PATIENCE
    assert asked[PATIENCE:] == ([False] * (SELDOM - 1) + [True]) * 5


def test_internal_calls_stay_under_a_tenth_of_the_replies_prompts_in_a_long_session_of_any_prompts() -> None:
    for prompt, call in ((900, 700), (3000, 4000), (6000, 6500)):
        counters = Counters()
        for _ in range(400):
            counters = counters.model_copy(update={"prompt_tokens": counters.prompt_tokens + prompt})
            if affordable(counters, call):
                counters = counters.model_copy(update={"internal_tokens": counters.internal_tokens + call})
        assert call <= counters.internal_tokens <= 0.1 * counters.prompt_tokens


def test_the_first_wishes_are_asked_for_before_the_replies_have_earned_it() -> None:
    assert affordable(Counters(), AHEAD)
    assert not affordable(Counters(), AHEAD + 1)
