"""
Strict bodies of API requests: JSON objects in UTF-8, of limited size and depth.

Source: docs/contributing/spec/bad_input.md, A12 to A28, A47 to A50; docs/contributing/spec/promises.md, S-40.
"""

import codecs
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings
from django.http import HttpRequest
from rest_framework.parsers import BaseParser
from rest_framework.utils.mediatypes import _MediaType

from messages_app.core.problems import Problem, bad_field, quote_value

MAX_DEPTH = 50


class StrictJsonParser(BaseParser):
    """
    Parses a JSON object, and rejects texts that other parsers reject or interpret differently.

    Raises (as Problem): 413 body_too_large; 415 for an unknown charset; 400 invalid_encoding, malformed_json,
    too_deep or invalid_value.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, object]:
        request: HttpRequest = (parser_context or {})["request"]._request
        _check_size(request)
        _check_charset(media_type or self.media_type)
        data = parse_strict_json(decode_utf8(stream.read()))
        if not isinstance(data, dict):
            raise Problem(400, "invalid_value", "The body must be a JSON object.")
        return data


def parse_strict_json(text: str) -> object:
    """
    Parse a JSON text from any source.

    Raises:
        Problem: 400 malformed_json, too_deep or invalid_value, with the place and the reason.
    """
    data = _parse_json(text)
    _check_values(data)
    return data


def _check_size(request: HttpRequest) -> None:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit:
        raise Problem(413, "body_too_large", f"The body can have at most {limit} bytes.")


def _check_charset(media_type: str) -> None:
    charset = _MediaType(media_type).params.get("charset", "utf-8")
    try:
        codec = codecs.lookup(charset).name
    except (LookupError, ValueError):
        text = f"Unknown charset {quote_value(charset)}. Send UTF-8."
        raise Problem(415, "unsupported_media_type", text) from None
    if codec not in {"utf-8", "ascii"}:
        raise Problem(400, "invalid_encoding", "The body must be UTF-8.")


def decode_utf8(raw: bytes) -> str:
    """
    Decode a body.

    Raises:
        Problem: 400 invalid_encoding, with the first byte that is not UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = f"The body must be UTF-8; byte {error.start} is not."
        raise Problem(400, "invalid_encoding", text) from None


def _parse_json(text: str) -> object:
    try:
        return json.loads(
            text, object_pairs_hook=_object_of_pairs, parse_constant=_no_constant, parse_float=_finite_number
        )
    except json.JSONDecodeError as error:
        text = f"Line {error.lineno}, column {error.colno}: {error.msg}."
        raise Problem(400, "malformed_json", text) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # A whole number has thousands of digits.
        raise Problem(400, "malformed_json", "A number has too many digits.") from None


def _too_deep() -> Problem:
    return Problem(400, "too_deep", f"The body can be nested at most {MAX_DEPTH} levels deep.")


def _object_of_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in pairs:
        if name in values:
            raise Problem(400, "malformed_json", f"The name {quote_value(name)} appears twice in one object.")
        values[name] = value
    return values


def _no_constant(name: str) -> float:
    raise Problem(400, "malformed_json", f"{name} is not JSON.")


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Problem(400, "malformed_json", "A number is too large.")
    return number


def _check_values(data: object) -> None:
    """Refuse strings that the database cannot store, and nesting that is deeper than any valid request."""
    for place, value in _walk_values(data):
        if place.depth > MAX_DEPTH:
            raise _too_deep()
        if isinstance(value, str) and ("\0" in value or not _is_unicode(value)):
            what = "NUL" if "\0" in value else "half of a surrogate pair"
            sentence = f"{place.field} must not contain {what}."
            raise bad_field(place.field, "invalid_value", sentence)


@dataclass(frozen=True, slots=True)
class _Place:
    """
    The place of a value in a body.

    Args:
        name: of its nearest object; empty in the body itself.
    """

    depth: int
    name: str
    outer: "_Place | None"

    @property
    def field(self) -> str:
        """The names of nested fields, joined by dots; "body" without one."""
        names: list[str] = []
        place: _Place | None = self
        while place:
            names.append(place.name)
            place = place.outer
        return ".".join(filter(None, reversed(names))) or "body"


def _walk_values(data: object) -> Iterator[tuple[_Place, object]]:
    """Yield every value and name with its place, without recursion. The place of a name is its object's."""
    todo = [(_Place(1, "", None), data)]
    while todo:
        place, value = todo.pop()
        yield place, value
        if isinstance(value, dict):
            # Names are taken first, so that a place has only names that can be sent.
            todo += [(_Place(place.depth + 1, name, place), inner) for name, inner in value.items()]
            todo += [(place, name) for name in value]
        elif isinstance(value, list):
            inside = _Place(place.depth + 1, "", place)
            todo += [(inside, inner) for inner in value]


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
