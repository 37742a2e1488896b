"""How many examples a law is tried on: few in every test run, thousands with `make laws`."""

from hypothesis import settings

LAWS = "laws"
"""The profile that `make laws` names."""


def examples(few: int, *, many: int | None = None) -> settings:
    """Give the number of examples of a law: `few`, and with `make laws` as many as its profile says, or `many`."""
    if settings.get_current_profile_name() != LAWS:
        return settings(max_examples=few)
    return settings(max_examples=many or settings.get_profile(LAWS).max_examples)
