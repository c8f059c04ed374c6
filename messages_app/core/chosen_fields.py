"""
The parameter `fields` of every GET: answers with only the members that the caller needs.

Source: docs/contributing/spec/interfaces.md, "Rules of the API".
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import OpenApiParameter

from messages_app.core.problems import FieldError, bad_field, bad_input, unknown_name

FIELDS = "fields"
PARAMETER = OpenApiParameter(
    FIELDS,
    str,
    description="Only these members of the object, or of each object of the list; separated by commas.",
)
_MAX_CHARACTERS = 2_000


def take_fields(request: HttpRequest, members: Collection[str]) -> frozenset[str] | None:
    """
    Remove the parameter from the query string of a request, and return its names; None if it is absent.

    The request keeps its text for the addresses of the neighbouring pages.

    Args:
        members: the names of all members.

    Raises:
        Problem: 400, a name is unknown, or the parameter is given twice or empty.
    """
    if FIELDS not in request.GET:
        return None
    if len(request.GET.getlist(FIELDS)) > 1:
        raise bad_field(FIELDS, "ambiguous_parameter", f"{FIELDS} is given more than once.")
    text = request.GET[FIELDS]
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise bad_field(FIELDS, "required", f"{FIELDS} must be names, separated by commas.")
    if len(text) > _MAX_CHARACTERS:
        raise bad_field(FIELDS, "too_long", f"{FIELDS} can have at most {_MAX_CHARACTERS} characters.")
    if unknown := [name for name in dict.fromkeys(names) if name not in members]:
        raise bad_input(
            FieldError(FIELDS, "unknown_field", unknown_name("field", name, members)) for name in unknown
        )
    others = request.GET.copy()
    del others[FIELDS]
    others._mutable = False
    request.GET = others  # type: ignore[assignment]  # its class is private
    request.chosen_fields = text  # type: ignore[attr-defined]
    return frozenset(names)


def choose_fields(body: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return only these members of an object, or of the objects of a page of a list."""
    if isinstance(body.get("results"), list):
        return {**body, "results": [_keep_members(row, names) for row in body["results"]]}
    return _keep_members(body, names)


def _keep_members(members: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name in names}
