"""How the text of a filter becomes a value. Each refuses what it does not know for certain."""

import re
from datetime import UTC, datetime
from typing import Protocol

from messages_app.messages.states import MessageState
from messages_app.web.problems import shown

MAX_ID = 2**63 - 1
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


def parse_state(text: str, one: _Named) -> str:
    if text not in set(MessageState):
        known = ", ".join(MessageState)
        raise InvalidValue("invalid_value", f"{one.name} must be one of {known}; not {shown(text)}.")
    return MessageState(text)


def parse_flag(text: str, one: _Named) -> bool:
    if text not in {"true", "false"}:
        raise InvalidValue("invalid_value", f"{one.name} must be true or false, not {shown(text)}.")
    return text == "true"


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
