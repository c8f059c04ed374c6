"""
Strict parsing of query strings: parameters that are unknown, duplicate, empty or not UTF-8 are errors.

Source: docs/contributing/spec/interfaces.md, "Rules of the API" (400 also for an unknown parameter);
docs/contributing/spec/bad_input.md, "Lists".
"""

import re
from collections.abc import Collection, Mapping
from typing import TypeVar
from urllib.parse import unquote_to_bytes

from django.db.models import Model, QuerySet
from django.http import HttpRequest, QueryDict

from messages_app.core.problems import (
    FieldError,
    Problem,
    bad_field,
    bad_input,
    not_found,
    quote_value,
    unknown_name,
)

MAX_PARAMETERS = 200
_WHOLE_NUMBER = re.compile(r"-?[0-9]+")
_MAX_DIGITS = 10
UNKNOWN_PARAMETER = "unknown_parameter"


def refuse_invalid_encoding(request: HttpRequest) -> None:
    """
    Refuse a query string that is not UTF-8, before Django inserts replacement characters.

    Raises:
        Problem: 400 invalid_encoding.
    """
    raw = request.META.get("QUERY_STRING", "")
    try:
        unquote_to_bytes(raw.encode("latin-1", "replace")).decode("utf-8")
    except UnicodeDecodeError:
        raise Problem(400, "invalid_encoding", "The query string must be percent-encoded UTF-8.") from None


def refuse_too_many(request: HttpRequest) -> None:
    """
    Refuse a query string with more parameters than any address of the console can have.

    Source: docs/contributing/spec/promises.md, S-40.

    Raises:
        Problem: 400 too_many.
    """
    if request.META.get("QUERY_STRING", "").count("&") >= MAX_PARAMETERS:
        text = f"A query string can have at most {MAX_PARAMETERS} parameters."
        raise Problem(400, "too_many", text)


def name_errors(
    params: QueryDict, names: Collection[str], *, repeatable: Collection[str] = ()
) -> list[FieldError]:
    """Return the errors of parameter names: unknown ones, and ones that are given twice."""
    errors = [
        FieldError(name, UNKNOWN_PARAMETER, unknown_name("parameter", name, names))
        for name in params
        if name not in names
    ]
    errors += [
        FieldError(name, "ambiguous_parameter", f"{name} is given more than once.")
        for name in params
        if name in names and name not in repeatable and len(params.getlist(name)) > 1
    ]
    return errors


def value_error(name: str, value: str) -> FieldError | None:
    """Return the error of a value that is empty or has a NUL, whatever the parameter; otherwise None."""
    if value == "":
        return FieldError(name, "required", f"{name} must not be empty.")
    if "\0" in value:
        return FieldError(name, "invalid_value", f"{name} must not contain NUL.")
    return None


def parse_flag(name: str, value: str | None) -> bool:
    """
    Parse a boolean parameter. It is false if absent.

    Raises:
        Problem: 400, the value is neither true nor false.
    """
    if value not in {None, "true", "false"}:
        raise bad_field(name, "invalid_value", f"{name} must be true or false, not {quote_value(value)}.")
    return value == "true"


def read_choice(params: QueryDict, name: str, choices: Collection[str]) -> str | None:
    """
    Return the value of a parameter with fixed values; None if it is absent or empty.

    Raises:
        Problem: 400, the value is not one of them.
    """
    value = params.get(name) or None
    if value is None or value in set(choices):
        return value
    raise bad_field(
        name, "invalid_value", f"{name} must be one of {', '.join(choices)}, not {quote_value(value)}."
    )


def whole_number(name: str, value: str, *, least: int, most: int) -> int:
    """
    Parse a parameter with a whole number.

    Raises:
        Problem: 400, the value is not a whole number, or not within the limits.
    """
    if not _WHOLE_NUMBER.fullmatch(value):
        text = f"{name} must be a whole number from {least} to {most}, not {quote_value(value)}."
        raise bad_field(name, "invalid_value", text)
    if len(value) > _MAX_DIGITS or not least <= int(value) <= most:
        raise bad_field(name, "out_of_range", f"{name} must be a whole number from {least} to {most}.")
    return int(value)


def text_of(params: QueryDict, name: str) -> str:
    """Return the value of a parameter that is present, the last one if there are several."""
    return params.getlist(name)[-1]


def check_names(params: QueryDict, *names: str) -> None:
    """
    Refuse parameters other than `names`, and ones that are given twice. A page checks the values itself.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    if errors := name_errors(params, names):
        raise bad_input(errors)


def single_values(params: QueryDict, names: Collection[str]) -> Mapping[str, str]:
    """
    Return the parameters as a dict. Only those with `names` are allowed, each at most once.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    errors = name_errors(params, names)
    values = {name: text_of(params, name) for name in params}
    errors += filter(None, (value_error(name, values[name]) for name in values if name in names))
    if errors:
        raise bad_input(errors)
    return values


# Ids of rows in addresses and forms: plain digits in the range of bigint. A hub's ids can be negative.
MIN_ID, MAX_ID = -(2**63), 2**63 - 1


def following_id(number: int) -> int | None:
    """Return the next id; None after the last one, because a larger number could not use an index."""
    return None if number == MAX_ID else number + 1


ID_PATTERN = "-?[0-9]{1,19}"
_ID = re.compile(ID_PATTERN)
Row = TypeVar("Row", bound=Model)


def read_id(text: str) -> int | None:
    """Parse an id; None if the text is not one, for example "1_0" or Arabic digits."""
    return int(text) if _ID.fullmatch(text) and MIN_ID <= int(text) <= MAX_ID else None


def require_id(name: str, text: str, *, others: str = "") -> int:
    """Parse the id in a parameter; `others` names its other values. Raises Problem: 400, it is not an id."""
    if (number := read_id(text)) is None:
        raise bad_field(name, "invalid_value", f"{name} must be an id{others}, not {quote_value(text)}.")
    return number


def read_address_id(text: str, *, noun: str) -> int:
    """Parse the id in an address. Raises Problem: 404, the text is not an id of a `noun`."""
    if (number := read_id(text)) is None:
        raise not_found(f"No {noun} has the id {quote_value(text)}.")
    return number


def read_addressed_row(rows: QuerySet[Row], text: str, *, noun: str) -> Row:
    """Return the row whose id is in an address. Raises Problem: 404."""
    row = rows.filter(pk=read_address_id(text, noun=noun)).first()
    if row is None:
        raise not_found(f"No {noun} has the id {text}.")
    return row
