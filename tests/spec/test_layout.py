from __future__ import annotations

import numpy as np
import pytest

from tooth_envs.engine import loops
from tooth_envs.spec.layout import Layout, ViewField

FIELDS = [
    ViewField("score", "points", -10, 30, (2,)),
    ViewField("colour", "a colour", -1, 2, (2,), ("RED", "GREEN", "BLUE")),
    ViewField("flag", "yes or no"),
    ViewField("past", "what was", 0, 4, (3,), history=True),
]


def test_nothing_is_written_outside_of_a_field() -> None:
    """A category's value that cannot be leaves its place empty, and all other places as they should be."""
    layout = Layout(
        [ViewField("first", "x", 0, 2, (3,), ("A", "B", "C")), ViewField("last", "y", -1, 1, (), ("A", "B"))], False
    )
    for vector, expected in [
        ([0, 2, 1, 1], [1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1]),
        ([4, 0, 3, -1], [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
        ([-1, -7, 32767, 2], [0] * 11),
        ([-32768, 1, 2, 3], [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]),
    ]:
        out = np.full(layout.size + 8, 7.0, np.float32)
        loops.encode(layout.codec, np.array(vector, np.int16), out)
        assert out.tolist() == [*expected, *[7.0] * 8]


def encoded(layout: Layout, vector: np.ndarray) -> np.ndarray:
    out = np.full(layout.size, np.nan, np.float32)
    loops.encode(layout.codec, vector, out)
    return out


def test_sizes_and_encoding() -> None:
    layout = Layout(FIELDS, history=False)
    assert (layout.length, layout.size) == (8, 9)
    vector = np.array([-10, 30, 1, -1, 1, 3, 3, 3], np.int16)
    assert encoded(layout, vector).tolist() == [0, 1, 0, 1, 0, 0, 0, 0, 1]
    full = Layout(FIELDS, history=True)
    assert full.size == 12
    assert encoded(full, vector)[9:].tolist() == [0.75] * 3


def test_fields_left_out_between_equal_ones() -> None:
    fields = [ViewField("a", "", 0, 9), ViewField("b", "", 0, 9, (2,), history=True), ViewField("c", "", 0, 9, (2,))]
    vector = np.array([9, 1, 2, 3, 6], np.int16)
    assert np.allclose(encoded(Layout(fields, history=False), vector) * 9, [9, 3, 6])
    assert np.allclose(encoded(Layout(fields, history=True), vector) * 9, [9, 1, 2, 3, 6])


def test_decoding_is_exact_for_every_value() -> None:
    for high in (1, 2, 3, 7, 36, 41, 49, 1000, 32767):
        layout = Layout([ViewField("number", "n", 0, high)], history=False)
        for value in {0, 1, high // 3, high // 2, high - 1, high}:
            out = encoded(layout, np.array([value], np.int16))
            assert 0.0 <= out[0] <= 1.0
            assert layout.decode(out)[0] == value
        assert encoded(layout, np.array([high], np.int16))[0] == 1.0
    layout = Layout(FIELDS, history=True)
    rng = np.random.default_rng(0)
    for _ in range(200):
        vector = np.concatenate(
            [rng.integers(-10, 31, 2), rng.integers(-1, 3, 2), rng.integers(0, 2, 1), rng.integers(0, 5, 3)]
        ).astype(np.int16)
        assert layout.out_of_bounds(vector) == []
        assert np.array_equal(layout.decode(encoded(layout, vector)), vector)


def test_fields_by_name() -> None:
    layout = Layout(FIELDS, history=False)
    view = layout.as_record(np.array([1, 2, 0, -1, 1, 0, 0, 0]))
    assert view.colour.tolist() == [0, -1]
    arrays = layout.as_arrays(view)
    assert list(arrays) == ["score", "colour", "flag"]
    assert arrays["score"].tolist() == [1, 2]
    assert layout.place("flag") == (4, 8)
    assert [row["first"] for row in layout.table()] == [0, 2, 8]


def test_values_out_of_bounds_are_named() -> None:
    layout = Layout(FIELDS, history=False)
    assert layout.out_of_bounds(np.array([31, 0, 3, 0, 2, 9, 9, 9])) == ["score", "colour", "flag"]


def test_the_digest_follows_meaning() -> None:
    base = Layout(FIELDS, history=False).digest
    assert Layout(FIELDS, history=False).digest == base
    assert Layout(FIELDS, history=True).digest != base
    changed = [ViewField("score", "points", -10, 31, (2,)), *FIELDS[1:]]
    assert Layout(changed, history=False).digest != base


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ([ViewField("a", "", 3, 3)], "low must be below high"),
        ([ViewField("a", "", 0, 40000)], "16 bits"),
        ([ViewField("a", "", 0, 2, (), ("X", "Y"))], "every value"),
        ([ViewField("a", "", 1, 2, (), ("X", "Y", "Z"))], "low is 0 or -1"),
        ([ViewField("round", "")], "round"),
        ([ViewField("a", ""), ViewField("a", "")], "twice|duplicate|more than once"),
    ],
)
def test_impossible_layouts_are_refused(fields: list[ViewField], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Layout(fields, history=False)


def test_observations_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="9 numbers, but 8"):
        Layout(FIELDS, history=False).decode(np.zeros(8))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_observations_that_are_no_numbers_are_refused(number: float) -> None:
    layout = Layout(FIELDS, history=False)
    observation = np.zeros(layout.size)
    observation[1] = number
    with pytest.raises(ValueError, match="not finite"):
        layout.decode(observation)
