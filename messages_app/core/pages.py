"""
Helpers for the pages of a store: sections, the previous page, the field for a reason, results of an id
search.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from django import forms
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


@dataclass(frozen=True)
class Section:
    """One page in the navigation above the pages of a store."""

    title: str
    address: str
    is_current: bool


def make_sections(titles: Mapping[str, str], *, current: str, beginnings: Mapping[str, str]) -> list[Section]:
    """
    Return the sections of a store.

    Args:
        titles: the titles by the route of the page.
        current: the route of the current page, or of the section that it belongs to.
        beginnings: the initial query string of a page, if it has one, by its route.
    """
    return [
        Section(title, reverse(route) + beginnings.get(route, ""), route == current)
        for route, title in titles.items()
    ]


# The page of the console that a request comes from.


def page_before(request: HttpRequest) -> str:
    """Return the address of the console's page that the request comes from; empty for other sites."""
    referer = request.headers.get("Referer", "")
    try:
        host = request.get_host()
    except DisallowedHost:  # The page about this error asks, too.
        return ""
    is_ours = url_has_allowed_host_and_scheme(referer, {host}, require_https=request.is_secure())
    if not referer or not is_ours:
        return ""
    parts = urlsplit(referer)
    page = urlunsplit(("", "", parts.path, parts.query, ""))
    # A path that begins with two slashes would lead to another host.
    return page if url_has_allowed_host_and_scheme(page, None) else ""


# The field for the reason, which is in every form that changes something. The audit log records it.


MAX_REASON = 1000

_WHY = {
    "required": "Enter a reason. It is recorded in the audit log.",
    "max_length": f"At most {MAX_REASON} characters.",
}


def reason_field(*, rows: int = 2, required: bool = True) -> forms.CharField:
    return forms.CharField(
        max_length=MAX_REASON,
        required=required,
        widget=forms.Textarea(attrs={"rows": rows}),
        error_messages=_WHY,
    )


class ReasonForm(forms.Form):
    """A form with only a reason."""

    reason = reason_field(rows=3)


# Results of the search for an id, which is on every page. Each store searches its own rows.


@dataclass(frozen=True, kw_only=True)
class Hit:
    """
    One row that has the id.

    Args:
        url: the page that shows it; empty if there is no such page, as for a synchronous request.
        name: the id of the row.
        about: a short description.
        state: the state of a hub message or an external call; else empty.
        archived: whether it is in the archive.
    """

    url: str
    name: str
    about: str
    state: str = ""
    archived: bool = False


@dataclass(frozen=True, kw_only=True)
class Kind:
    """
    The rows whose id of one kind is the text.

    Args:
        title: the kind of id.
        hits: a few of the rows, live ones first.
        more: whether there are more rows.
        list_url: the list of all of them; may be empty.
        note: a sentence about rows that were not searched; may be empty.
    """

    title: str
    hits: list[Hit]
    more: bool = False
    list_url: str = ""
    note: str = ""


# Yields a Kind for each kind of id of a store that the text is.
LookUp = Callable[[str], Iterator[Kind]]
