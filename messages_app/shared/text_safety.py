"""
Masks the parts of an address that may be credentials, and escapes the cells of CSV files.

Hubs write addresses with passwords and keys into rows. Imports no Django code, because executors use it.
"""

import re
from datetime import datetime

MASK = "•••"

# Schemes may be nested, as in spring-ws:http://user:password@host/, and a user may follow them.
_USER = re.compile(r"^((?:[^:/?#@]*+:)*+(?://)?+)[^/?#]*@")
_PATH_PARAMETER = re.compile(r"(;[^=;/?#]*=)[^;/?#]*")
_PARAMETER = re.compile(r"[^&;]+")
# Camel takes such a value literally, so it may have characters that end other values.
_RAW = re.compile(r"=RAW[({].*", re.DOTALL)


def masked_address(text: str) -> str:
    """
    Return an address with its user information, fragment and the values of its parameters masked.

    A parameter without a name is masked completely. The segments of a path are kept, and so is a text that is
    not an address, such as the name of a queue.
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


# The only rule for values in files that people open with a spreadsheet program. Executors write such files
# too.
#
# Source: docs/contributing/spec/promises.md, S-37; docs/contributing/spec/bad_input.md, D60.
# The beginning of a CSV file. Spreadsheet programs recognise UTF-8 by this mark.
CSV_MARK = "\ufeff"

# A spreadsheet program interprets a cell that begins with one of these as a formula. A leading tab or
# carriage return has the same effect.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def as_safe_cell(value: object) -> object:
    """Return a value as a cell of a CSV file, so that no text becomes a formula."""
    text = text_of(value)
    # A time can be -infinity.
    return f"'{text}" if isinstance(text, str) and text.startswith(FORMULA_STARTS) else text


def text_of(value: object) -> object:
    """Return a time with its offset; other values are returned unchanged."""
    return value.isoformat() if isinstance(value, datetime) else value
