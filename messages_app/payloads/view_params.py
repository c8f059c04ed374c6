"""The parameters of the address of a content's page."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from django.http import QueryDict

from messages_app.core.parameters import single_values
from messages_app.core.problems import bad_field, quote_value, unknown_name
from messages_app.payloads.layout import Place
from messages_app.shared.tokens import CONTINUED, Kind

MAX_WORD = 200
_MAX_NUMBER = 2**31 - 1


class Form(StrEnum):
    """The form in which a content is shown. Addresses have these values."""

    LAID_OUT = "laid-out"
    RAW = "raw"
    HEX = "hex"


VIEW_PARAMETERS = ("view", "from", "line", "depth", "inside", "find", "find_from")


@dataclass(frozen=True, kw_only=True)
class ViewParams:
    """
    The parsed parameters of an address.

    Args:
        form: the form; None: the default for the content.
        place: the start of the piece; None: the start of the text, or the first hit of `word`.
        word: the word to find; may be empty.
        search_from: the offset of the search, in bytes.
    """

    form: Form | None
    place: Place | None
    word: str
    search_from: int


def parse_view_params(params: QueryDict) -> ViewParams:
    """
    Parse the query string of a content's page.

    Raises:
        Problem: 400, with the parameter at fault.
    """
    values = single_values(params, VIEW_PARAMETERS)
    word = values.get("find", "")
    if len(word) > MAX_WORD:
        raise bad_field("find", "too_long", f"find must have at most {MAX_WORD} characters.")
    return ViewParams(
        form=_parse_choice(values, "view", Form),
        place=_parse_place(values) if "from" in values else None,
        word=word,
        search_from=_parse_number(values, "find_from") or 0,
    )


def _parse_place(values: Mapping[str, str]) -> Place:
    inside = _parse_choice(values, "inside", CONTINUED)
    return Place(
        offset=_parse_number(values, "from") or 0,
        line=_parse_number(values, "line"),
        depth=_parse_number(values, "depth") or 0,
        inside=inside and Kind(inside),
    )


C = TypeVar("C", bound=StrEnum)


def _parse_choice(values: Mapping[str, str], name: str, choices: Iterable[C]) -> C | None:
    value = values.get(name)
    for one in choices:
        if value == one:
            return one
    if value is None:
        return None
    raise bad_field(name, "invalid_value", unknown_name(name, value, list(map(str, choices))))


def _parse_number(values: Mapping[str, str], name: str) -> int | None:
    """Parse a number, which may be hexadecimal, such as 0x1f40."""
    value = values.get(name)
    if value is None:
        return None
    base = 16 if value.startswith("0x") else 10
    number = int(value, base) if re.fullmatch(r"0x[0-9a-fA-F]{1,8}|[0-9]{1,10}", value) else -1
    if not 0 <= number <= _MAX_NUMBER:
        raise bad_field(
            name, "invalid_value", f"{name} must be a whole number, 0 or greater, not {quote_value(value)}."
        )
    return number
