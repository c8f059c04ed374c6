"""Conversion of the text of a filter to a value. Each function rejects texts that are not clearly valid."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from django.http import QueryDict

from messages_app.core.parameters import MAX_ID, MIN_ID, text_of
from messages_app.core.problems import bad_field, quote_value

_TIME = re.compile(
    r"(?P<year>\d+)-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(?P<zone>Z|[+-]\d{2}:\d{2})?", re.ASCII
)
_TIME_EXAMPLE = "2026-11-21T10:00:00Z"
# A comma that is a part of a value, and a backslash before it, have a backslash.
_PIECE = re.compile(r"\\[,\\]|\\|,|[^,\\]+")


class InvalidValue(Exception):
    """The text is not a value of this filter. `code` is the code of the field error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def split_values(text: str) -> list[str]:
    r"""Return the values of a text of the query line, which commas separate; ``\,`` is a comma in a value."""
    values = [""]
    for piece in _PIECE.findall(text):
        if piece == ",":
            values.append("")
        else:
            values[-1] += piece[-1] if piece in {"\\,", "\\\\"} else piece
    return values


def join_values(values: Iterable[str]) -> str:
    """Return the text that `split_values` splits into these values."""
    return ",".join(value.replace("\\", "\\\\").replace(",", "\\,") for value in values)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class _Text(_Named, Protocol):
    @property
    def max_length(self) -> int: ...


class _Choosing(_Named, Protocol):
    @property
    def choices(self) -> Collection[str]: ...


@dataclass(frozen=True)
class Parameter:
    """A parameter that is in no table of filters, for error texts about its values."""

    name: str


def parse_text(text: str, one: _Text) -> str:
    if len(text) > one.max_length:
        raise InvalidValue("too_long", f"{one.name} can have at most {one.max_length} characters.")
    return text


def parse_id(text: str, one: _Named) -> int:
    """Return the id of a row, which can be negative. Only plain digits are valid."""
    if not re.fullmatch(r"-?[0-9]+", text):
        raise InvalidValue("invalid_value", f"{one.name} must be a number, not {quote_value(text)}.")
    # The length is checked first, because converting thousands of digits takes long.
    if len(text) > len(str(MIN_ID)) or not MIN_ID <= int(text) <= MAX_ID:
        raise InvalidValue("out_of_range", f"{one.name} must be from {MIN_ID} to {MAX_ID}.")
    return int(text)


def parse_ids(name: str, texts: Sequence[str], *, most: int) -> list[int]:
    """
    Parse the ids of chosen rows, and return each once.

    Raises:
        Problem: 400, there are no ids or more than `most`, or one is invalid.
    """
    if not texts:
        raise bad_field(name, "required", f"{name} is required: choose at least one.")
    if len(texts) > most:
        raise bad_field(name, "out_of_range", f"{name} can have at most {most} values.")
    one = Parameter(name)
    try:
        return list(dict.fromkeys(parse_id(text, one) for text in texts))
    except InvalidValue as error:
        raise bad_field(name, error.code, str(error)) from None


def parse_flag(text: str, one: _Named) -> bool:
    if text not in {"true", "false"}:
        raise InvalidValue("invalid_value", f"{one.name} must be true or false, not {quote_value(text)}.")
    return text == "true"


def parse_choice(text: str, one: _Choosing) -> str:
    """Return the choice that the text names. For an enum, this is its member."""
    for choice in one.choices:
        if choice == text:
            return choice
    choices = ", ".join(one.choices)
    raise InvalidValue("invalid_value", f"{one.name} must be one of {choices}; not {quote_value(text)}.")


def parse_time(text: str, one: _Named) -> datetime:
    """Return a time in UTC. The text must have an offset, because the intended zone would be unknown."""
    match = _TIME.fullmatch(text)
    if match is None:
        hint = " Write + as %2B." if " " in text else ""
        raise InvalidValue(
            "invalid_value", f"{one.name} must be a time like {_TIME_EXAMPLE}, not {quote_value(text)}.{hint}"
        )
    if match["zone"] is None:
        raise InvalidValue("invalid_value", f"{one.name} needs a time zone, as in {_TIME_EXAMPLE}.")
    if len(match["year"]) != 4 or match["year"] == "0000":
        raise InvalidValue("out_of_range", f"{one.name} must be in the years 0001 to 9999.")
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError:
        raise InvalidValue("out_of_range", f"{one.name} must be in the years 0001 to 9999.") from None
    except ValueError:
        raise InvalidValue("invalid_value", f"{one.name} is not a valid time: {quote_value(text)}.") from None


def read_time(params: QueryDict, name: str) -> datetime | None:
    """
    Return the value of a parameter with a time; None if it is absent.

    Raises:
        Problem: 400, the value is not a time with an offset.
    """
    if name not in params:
        return None
    try:
        return parse_time(text_of(params, name), Parameter(name))
    except InvalidValue as error:
        raise bad_field(name, error.code, str(error)) from None
