"""Data from users into frozen pydantic models, with errors that name the key, the value and the remedy."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from tooth_envs.engine.integers import as_python
from tooth_envs.errors import OptionError, ToothError, shortened
from tooth_envs.spec.files import control_in

M = TypeVar("M", bound=BaseModel)


class StrictModel(BaseModel):
    """A frozen model that refuses unknown keys and does not convert types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list | tuple) else value


AsTuple = BeforeValidator(_tuples)
"""For tuple fields: lists, as YAML and JSON have them, are taken as tuples."""

IntTuple = Annotated[tuple[int, ...], AsTuple]


LONGEST_WORD = 200
"""Letters; a longer word is no name that was misspelt."""


def suggestion(word: object, known: list[str]) -> str:
    """What follows a word that is not known: "; did you mean 'x'?", or a full stop if nothing is similar.

    Args:
        word: what was given, a text or not.
        known: the words there are.
    """
    if not isinstance(word, str) or len(word) > LONGEST_WORD:
        return "."
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else "."


def _fields_at(model: type[BaseModel], path: tuple[Any, ...]) -> list[str]:
    """Names allowed next to the last element of an error's path."""
    current: Any = model
    for key in path[:-1]:
        field = getattr(current, "model_fields", {}).get(key)
        current = field.annotation if field else None
        for inner in getattr(current, "__args__", ()):  # Optional[Model]
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                current = inner
    return list(getattr(current, "model_fields", {}))


def _explain(model: type[BaseModel], error: Any) -> str:
    path = tuple(error["loc"])
    name = ".".join(str(part) for part in path if part != "__root__")
    given = error.get("input")
    if error["type"] == "extra_forbidden":
        known = _fields_at(model, path)
        return f"unknown key {shortened(name)}{suggestion(path[-1], known)} Known here: {', '.join(known)}"
    if error["type"] == "missing":
        return f"{name}: is missing"
    message = str(error["msg"]).removeprefix("Value error, ")
    if not name:
        return message
    hint = ""
    if isinstance(given, str) and error["type"] in ("float_type", "int_type"):
        hint = _number_hint(given, error["type"] == "int_type")
    return f"{name}: {message[0].lower()}{message[1:]}, but {shortened(given)} was given{hint}"


def _number_hint(text: str, whole: bool) -> str:
    """YAML 1.1 reads 1e-4 (no point) as a word."""
    try:
        number = float(text)
    except ValueError:
        return ""
    if not math.isfinite(number):
        return ", which is no number that can be used here"
    if whole:
        return f" as text; write {int(number)}" if number == int(number) else ""
    mantissa, mark, exponent = text.lower().partition("e")
    if not mark:
        return f" as text; write it without quotes: {text}"
    if "." not in mantissa:
        mantissa += ".0"
    if exponent[:1] not in "+-":
        exponent = "+" + exponent
    return f" as text, because YAML needs a point and a sign in such numbers; write {mantissa}e{exponent} or {number!r}"


def validated(model: type[M], data: Mapping[str, Any], where: str, error: type[ToothError] = OptionError) -> M:
    """Build a model from data.

    Args:
        model: the pydantic model.
        data: keys and values from a user, a file or keyword arguments.
        where: what the data belongs to, the beginning of every message.
        error: the class to raise.

    Raises:
        ToothError: of the given class, one line per problem.
    """
    try:
        try:
            given = as_python(dict(data))
        except OptionError as problem:
            raise error(f"{where}: {problem}") from None
        hidden = control_in(given)
        if hidden:
            raise error(f"{where}: {hidden}: has a control character, which a terminal would obey; leave it out")
        return model.model_validate(given)
    except ValidationError as problem:
        for entry in problem.errors(include_url=False):
            own = entry.get("ctx", {}).get("error")
            if isinstance(own, ToothError) and not isinstance(own, error):
                raise own from None  # say, a deck that an option names: it has its own class and place
        lines = [f"{where}: {_explain(model, entry)}" for entry in problem.errors(include_url=False)]
        raise error("\n".join(dict.fromkeys(lines))) from None
