"""
Masks the parts of an address that may be credentials. Hubs write addresses with passwords and keys into rows.

Imports nothing of Django: executors count calls by address too.
"""

import re
from datetime import datetime

MASK = "•••"

# Schemes may be nested, as in spring-ws:http://user:password@host/; what follows them may name a user.
_USER = re.compile(r"^((?:[^:/?#@]*+:)*+(?://)?+)[^/?#]*@")
_PATH_PARAMETER = re.compile(r"(;[^=;/?#]*=)[^;/?#]*")
_PARAMETER = re.compile(r"[^&;]+")
# Camel takes the value as it is: it may have any of the characters that end one elsewhere.
_RAW = re.compile(r"=RAW[({].*", re.DOTALL)


def masked_address(text: str) -> str:
    """
    Return an address without its user information, and without the values of its parameters and fragment.

    A parameter without a name is masked whole. The segments of a path stay as they are, and so does a text
    that is not an address, such as the name of a queue.
    """
    rest, has_fragment, _ = text.partition("#")
    rest, has_query, query = rest.partition("?")
    rest = _PATH_PARAMETER.sub(rf"\1{MASK}", _USER.sub(rf"\1{MASK}@", rest))
    query = _PARAMETER.sub(_masked_parameter, _RAW.sub(f"={MASK}", query))
    return f"{rest}{has_query}{query}{has_fragment}{MASK if has_fragment else ''}"


def is_masked(text: str) -> bool:
    """Whether an address has no part that `masked_address` would mask."""
    return masked_address(text) == text


def _masked_parameter(match: re.Match[str]) -> str:
    name, equals, _ = match.group().partition("=")
    return f"{name}={MASK}" if equals else MASK


# How a value is in a file that people open with a spreadsheet program: the one statement of the rule.
#
# Imports nothing of Django: executors write files too.
#
# Source: docs/spec/promises.md, S-37; docs/spec/bad_input.md, D60.


# A CSV file begins with it: by this mark spreadsheet programs know UTF-8.
CSV_MARK = "\ufeff"

# With these a spreadsheet program takes a cell for a formula; tab and return lead to the same.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def cell(value: object) -> object:
    """Return a value as a cell of a CSV file, so that no text is taken for a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return text_of(value)


def text_of(value: object) -> object:
    """Return a time with its offset; anything else as it is."""
    return value.isoformat() if isinstance(value, datetime) else value
