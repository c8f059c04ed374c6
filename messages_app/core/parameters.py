"""
Query strings, read strictly: nothing unknown, nothing twice, nothing empty, nothing but UTF-8.

Source: docs/spec/interfaces.md, "Rules of the API" (400 also for an unknown parameter);
docs/spec/bad_input.md, "Lists".
"""

import re
from collections.abc import Collection, Mapping
from urllib.parse import unquote_to_bytes

from django.http import HttpRequest, QueryDict

from messages_app.core.problems import FieldError, Problem, bad_field, bad_input, shown, unknown_name

MOST_PARAMETERS = 200
UNKNOWN_PARAMETER = "unknown_parameter"


def refuse_invalid_encoding(request: HttpRequest) -> None:
    """
    Refuse a query string that is not UTF-8, before the framework puts replacement characters into it.

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
    Refuse a query string with more parameters than any address of the console has.

    Source: docs/spec/promises.md, S-40.

    Raises:
        Problem: 400 too_many.
    """
    if request.META.get("QUERY_STRING", "").count("&") >= MOST_PARAMETERS:
        text = f"A query string can have at most {MOST_PARAMETERS} parameters."
        raise Problem(400, "too_many", text)


def name_errors(
    params: QueryDict, known: Collection[str], *, repeatable: Collection[str] = ()
) -> list[FieldError]:
    """Return what is wrong with the names of `params`: unknown ones, and ones given twice."""
    errors = [
        FieldError(name, UNKNOWN_PARAMETER, unknown_name("parameter", name, known))
        for name in params
        if name not in known
    ]
    errors += [
        FieldError(name, "ambiguous_parameter", f"{name} is given more than once.")
        for name in params
        if name in known and name not in repeatable and len(params.getlist(name)) > 1
    ]
    return errors


def value_error(name: str, value: str) -> FieldError | None:
    """Return what is wrong with a value of any parameter: empty, or with a NUL in it."""
    if value == "":
        return FieldError(name, "required", f"{name} must not be empty.")
    if "\0" in value:
        return FieldError(name, "invalid_value", f"{name} must not contain NUL.")
    return None


def flag(name: str, value: str | None) -> bool:
    """
    Return what a parameter of two values says; absent, it is false.

    Raises:
        Problem: 400, the value is neither true nor false.
    """
    if value not in {None, "true", "false"}:
        raise bad_field(name, "invalid_value", f"{name} must be true or false, not {shown(value)}.")
    return value == "true"


def text_of(params: QueryDict, name: str) -> str:
    """Return the value of a parameter that was given; of several, the last."""
    return params.getlist(name)[-1]


def single_values(params: QueryDict, known: Collection[str]) -> Mapping[str, str]:
    """
    Return the parameters as name: value, where only `known` ones may be given, once each.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    errors = name_errors(params, known)
    given = {name: text_of(params, name) for name in params}
    errors += filter(None, (value_error(name, given[name]) for name in given if name in known))
    if errors:
        raise bad_input(errors)
    return given


# Ids of rows as addresses and forms name them: plain digits that a bigint can hold, and nothing else.


MAX_ID = 2**63 - 1
_DIGITS = re.compile(r"[0-9]{1,19}")


def read_id(text: str) -> int | None:
    """Return the id that a text is, None where it is not one: "1_0" and Arabic digits are not."""
    return int(text) if _DIGITS.fullmatch(text) and int(text) <= MAX_ID else None
