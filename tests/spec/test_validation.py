from __future__ import annotations

import pytest
from pydantic import Field

import tooth_envs
from tooth_envs.errors import DeckError, OptionError, ToothError
from tooth_envs.spec.validation import IntTuple, StrictModel, validated


class Inner(StrictModel):
    rate: float = 0.1
    steps: int = Field(default=5, ge=1)


class Outer(StrictModel):
    inner: Inner = Inner()
    maybe: Inner | None = None
    values: IntTuple = (1,)
    name: str


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "w: name: is missing"),
        ({"name": "x", "iner": {}}, "unknown key 'iner'; did you mean 'inner'"),
        ({"name": "x", "zzz": {}}, "unknown key 'zzz'. Known here: inner, maybe, values, name"),
        ({"name": "x", "inner": {"stps": 1}}, "unknown key 'inner.stps'; did you mean 'steps'"),
        ({"name": "x", "maybe": {"stps": 1}}, "unknown key 'maybe.stps'; did you mean 'steps'"),
        ({"name": "x", "inner": {"rate": "1e-4"}}, r"inner.rate: .*'1e-4' was given as text.*1.0e-4"),
        ({"name": "x", "inner": {"rate": "0.5"}}, "inner.rate: .* without quotes: 0.5"),
        ({"name": "x", "inner": {"rate": "fast"}}, "inner.rate: .*valid number, but 'fast' was given$"),
        ({"name": "x", "inner": {"steps": 0}}, "inner.steps: .*greater than or equal to 1, but 0"),
        ({"name": "x", "inner": {"steps": 2.0}}, "inner.steps: .*integer"),
        ({"name": "x", "inner": {"steps": True}}, "inner.steps: .*integer"),
        ({"name": "x", "inner": {"rate": float("nan")}}, "inner.rate: .*finite"),
        ({"name": "x", "inner": {"rate": "nan"}}, "inner.rate: .*'nan' was given, which is no number that can be used"),
        ({"name": 5}, "name: .*string"),
        ({"name": "x", "values": ["a"]}, r"values.0: .*integer"),
    ],
)
def test_errors_name_key_value_and_remedy(data: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        validated(Outer, data, "w")


def test_good_data_is_taken_as_it_is() -> None:
    model = validated(Outer, {"name": "x", "values": [3, 4], "inner": {"rate": 1}}, "w")
    assert model.values == (3, 4)
    assert model.inner.rate == 1.0
    with pytest.raises(ValueError, match="frozen"):
        model.name = "y"  # type: ignore[misc]


def test_the_error_class_can_be_chosen_and_all_problems_are_told() -> None:
    with pytest.raises(DeckError, match=r"(?s)inner\.steps.*name") as caught:
        validated(Outer, {"inner": {"steps": 0}}, "deck.toml", DeckError)
    assert len(str(caught.value).splitlines()) == 2
    assert all(line.startswith("deck.toml: ") for line in str(caught.value).splitlines())


def test_every_error_of_the_suite_is_a_value_error() -> None:
    for name in tooth_envs.__all__:
        thing = getattr(tooth_envs, name)
        if isinstance(thing, type) and issubclass(thing, Exception):
            assert issubclass(thing, ToothError)
            assert issubclass(thing, ValueError)
