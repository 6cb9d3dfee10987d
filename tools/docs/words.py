"""Small pieces of Markdown."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo


def table(head: Sequence[str], rows: Iterable[Sequence[object]], numbers: int = 0) -> str:
    """A table; the last ``numbers`` columns are aligned to the right."""
    ruler = [" --- "] * (len(head) - numbers) + [" ---: "] * numbers
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(ruler) + "|"]
    lines += ["| " + " | ".join(cell(entry) for entry in row) + " |" for row in rows]
    return "\n".join(lines)


def cell(value: object) -> str:
    """A table's cell: one line, in which a bar is no border."""
    return " ".join(str(value).split()).replace("|", "\\|")


def code(value: object) -> str:
    """Something as it is written in code."""
    return f"`{value}`"


def sentence(text: str) -> str:
    """Words as a sentence; a name or a value that it begins with stays as it is."""
    first = text.partition(" ")[0]
    return (
        (text[:1].upper() if first.rstrip(",;").replace("-", "").isalpha() else text[:1])
        + text[1:]
        + ("" if text.endswith(".") else ".")
    )


def shortened(names: Sequence[str], most: int = 6) -> str:
    """Names, or the first and the last of many."""
    if len(names) <= most:
        return ", ".join(map(code, names))
    return f"{code(names[0])}, {code(names[1])}, … {code(names[-1])}"


def ranges(indices: Sequence[int]) -> str:
    """Ascending whole numbers, neighbours joined: ``0–7, 12``."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def count(value: float) -> str:
    """A large number to three digits: ``12.1 million``, ``143 thousand``."""
    for size, word in ((1e6, " million"), (1e3, " thousand")):
        if value >= size:
            return f"{value / size:.3g}{word}" if value < 1e3 * size else f"{value / size:,.0f}{word}"
    return f"{value:.3g}"


def interval(estimate: Mapping[str, Any], percent: bool = False, digits: int = 1) -> str:
    """A mean with its interval, as results have it: ``31.2 % [29.0, 33.4]``."""
    scale, unit = (100.0, " %") if percent else (1.0, "")
    mean = f"{scale * estimate['mean']:.{digits}f}{unit}"
    if estimate["low"] is None or estimate["high"] is None:
        return mean
    return f"{mean} [{scale * estimate['low']:.{digits}f}, {scale * estimate['high']:.{digits}f}]"


def folded(summary: str, text: str) -> str:
    """Text that a reader unfolds."""
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def option_type(field: FieldInfo) -> str:
    """What an option's or setting's value may be."""
    arguments = get_args(field.annotation)
    if type(None) in arguments and len(arguments) == 2:
        return f"{_type(arguments[0])}{_bounds(field.metadata)} or None"
    return _type(field.annotation) + _bounds(field.metadata)


def _type(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(code(repr(value).replace("'", '"')) for value in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(_type(argument) for argument in arguments)
    if origin is tuple:
        inner = [argument for argument in arguments if argument is not Ellipsis]
        return "tuple of " + ", ".join(_type(argument) for argument in inner)
    if origin is dict:
        return "mapping"
    if annotation is type(None):
        return "None"
    if annotation is Any:
        return "any"
    if hasattr(annotation, "__metadata__"):  # Annotated
        return _type(arguments[0]) + _bounds(annotation.__metadata__)
    return str(getattr(annotation, "__name__", annotation))


def _bounds(metadata: Sequence[Any]) -> str:
    words = []
    for entry in metadata:
        if isinstance(entry, Ge):
            words.append(f"≥ {entry.ge}")
        elif isinstance(entry, Gt):
            words.append(f"> {entry.gt}")
        elif isinstance(entry, Le) and entry.le != 2**31 - 1:
            words.append(f"≤ {entry.le}")
        elif isinstance(entry, Lt) and entry.lt != 2**63:
            words.append(f"< {entry.lt}")
    return f" {', '.join(words)}" if words else ""


def default(field: FieldInfo) -> str:
    """An option's or setting's default."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, tuple):
        value = list(value)
    return code(repr(value).replace("'", '"'))
