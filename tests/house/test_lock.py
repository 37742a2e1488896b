"""The lock file alone sets up any machine that reaches the package registry."""

import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parents[2]
LOCKED = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8").splitlines()


def asked_for() -> list[Requirement]:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(line) for line in chain(project["dependencies"], *project["optional-dependencies"].values())]


def test_every_line_pins_one_release_from_the_registry() -> None:
    for line in LOCKED:
        requirement = Requirement(line)
        assert requirement.url is None, line
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], line


@pytest.mark.parametrize("wanted", asked_for(), ids=str)
def test_every_dependency_and_extra_is_pinned_within_its_bounds(wanted: Requirement) -> None:
    pins = [pin for pin in map(Requirement, LOCKED) if canonicalize_name(pin.name) == canonicalize_name(wanted.name)]
    versions = [str(next(iter(pin.specifier))).removeprefix("==") for pin in pins]
    assert versions
    assert list(wanted.specifier.filter(versions)) == versions
