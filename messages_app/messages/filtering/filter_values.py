"""How the text of a filter becomes a value. Each refuses what it does not know for certain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from messages_app.messages.states import MessageState
from messages_app.web.problems import bad_field, shown

MAX_ID = 2**63 - 1

# archived=any: the live table and the archive as one list.
ANYWHERE = "any"

# family=roots: messages that name no parent.
# family=failed: messages that others, of the same table, name as their parent, where at least one of those is
# in one of FAILURE_STATES. One level: a grandchild's failure shows its own parent.
FAMILY_ROOTS, FAMILY_FAILED = "roots", "failed"
FAMILIES = (FAMILY_ROOTS, FAMILY_FAILED)
_TIME = re.compile(
    r"(?P<year>\d+)-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(?P<zone>Z|[+-]\d{2}:\d{2})?", re.ASCII
)
_TIME_EXAMPLE = "2026-11-21T10:00:00Z"


class InvalidValue(Exception):
    """The text is no value of this filter; `code` is that of the field error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Named(Protocol):
    name: str
    max_length: int


class _Choosing(Protocol):
    name: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class _Parameter:
    name: str
    max_length: int = 0


def parse_text(text: str, one: _Named) -> str:
    if len(text) > one.max_length:
        raise InvalidValue("too_long", f"{one.name} has at most {one.max_length} characters.")
    return text


def parse_id(text: str, one: _Named) -> int:
    """Return a message's id; only plain digits are one."""
    if not re.fullmatch(r"-?[0-9]+", text):
        raise InvalidValue("invalid_value", f"{one.name} must be a number, not {shown(text)}.")
    # The length first: turning thousands of digits into a number is work.
    if text.startswith("-") or len(text) > len(str(MAX_ID)) or int(text) > MAX_ID:
        raise InvalidValue("out_of_range", f"{one.name} must be from 0 to {MAX_ID}.")
    return int(text)


def parse_ids(name: str, texts: Sequence[str], *, most: int) -> list[int]:
    """
    Return the ids of chosen messages, each once.

    Raises:
        Problem: 400, there are none or more than `most`, or one of them is no id.
    """
    if not texts:
        raise bad_field(name, "required", f"{name} must be given: choose at least one message.")
    if len(texts) > most:
        raise bad_field(name, "out_of_range", f"{name} may be given at most {most} times.")
    one = _Parameter(name)
    try:
        return list(dict.fromkeys(parse_id(text, one) for text in texts))
    except InvalidValue as error:
        raise bad_field(name, error.code, str(error)) from None


def parse_state(text: str, one: _Named) -> str:
    if text not in set(MessageState):
        known = ", ".join(MessageState)
        raise InvalidValue("invalid_value", f"{one.name} must be one of {known}; not {shown(text)}.")
    return MessageState(text)


def parse_flag(text: str, one: _Named) -> bool:
    if text not in {"true", "false"}:
        raise InvalidValue("invalid_value", f"{one.name} must be true or false, not {shown(text)}.")
    return text == "true"


def parse_choice(text: str, one: _Choosing) -> str:
    if text not in one.choices:
        known = ", ".join(one.choices)
        raise InvalidValue("invalid_value", f"{one.name} must be one of {known}; not {shown(text)}.")
    return text


def parse_place(text: str, one: _Named) -> bool | str:
    """Return True for the archive, False for the live table, ANYWHERE for both."""
    if text not in {"true", "false", ANYWHERE}:
        raise InvalidValue(
            "invalid_value", f"{one.name} must be true, false or {ANYWHERE}, not {shown(text)}."
        )
    return ANYWHERE if text == ANYWHERE else text == "true"


def parse_family(text: str, one: _Named) -> str:
    if text not in FAMILIES:
        known = " or ".join(FAMILIES)
        raise InvalidValue("invalid_value", f"{one.name} must be {known}, not {shown(text)}.")
    return text


def parse_time(text: str, one: _Named) -> datetime:
    """Return a time in UTC; its offset must be given, since nobody can know which zone was meant."""
    match = _TIME.fullmatch(text)
    if match is None:
        hint = " Write + as %2B." if " " in text else ""
        raise InvalidValue(
            "invalid_value", f"{one.name} must be a time like {_TIME_EXAMPLE}, not {shown(text)}.{hint}"
        )
    if match["zone"] is None:
        raise InvalidValue("invalid_value", f"{one.name} needs a time zone, as in {_TIME_EXAMPLE}.")
    if len(match["year"]) != 4 or match["year"] == "0000":
        raise InvalidValue("out_of_range", f"{one.name} must lie in the years 0001 to 9999.")
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError:
        raise InvalidValue("out_of_range", f"{one.name} must lie in the years 0001 to 9999.") from None
    except ValueError:
        raise InvalidValue("invalid_value", f"{one.name} is not a time that exists: {shown(text)}.") from None
