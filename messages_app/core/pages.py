"""The pages of a room, as the line above each of them names them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from django import forms
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


@dataclass(frozen=True)
class Section:
    """One page of a room."""

    title: str
    address: str
    is_current: bool


def sections(titles: Mapping[str, str], *, current: str, beginnings: Mapping[str, str]) -> list[Section]:
    """
    Return the pages of a room.

    Args:
        titles: by the name of the page's route.
        current: the route of the page that is shown, or that the shown one belongs to.
        beginnings: the query that a page begins with, by its route, where there is one.
    """
    return [
        Section(title, reverse(route) + beginnings.get(route, ""), route == current)
        for route, title in titles.items()
    ]


# The console's page that a request comes from.


def page_before(request: HttpRequest) -> str:
    """Return the console's page that led here, or whose form was sent; empty for other pages."""
    referer = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(
        referer, {request.get_host()}, require_https=request.is_secure()
    )
    if not referer or not is_ours:
        return ""
    parts = urlsplit(referer)
    page = urlunsplit(("", "", parts.path, parts.query, ""))
    # A path of two slashes would be another host.
    return page if url_has_allowed_host_and_scheme(page, None) else ""


# The field for why someone acts, which every form that changes something has. The audit keeps it.


MAX_REASON = 1000

_WHY = {
    "required": "Enter a reason. It is recorded in the audit log.",
    "max_length": f"At most {MAX_REASON} characters.",
}


def reason_field(*, rows: int = 2, required: bool = True) -> forms.CharField:
    """Return the field for the reason."""
    return forms.CharField(
        max_length=MAX_REASON,
        required=required,
        widget=forms.Textarea(attrs={"rows": rows}),
        error_messages=_WHY,
    )


class ReasonForm(forms.Form):
    """Why someone acts."""

    reason = reason_field(rows=3)


# What an id of any kind names, as the search of every page shows it; each room looks among its own.


@dataclass(frozen=True, kw_only=True)
class Hit:
    """
    One row that has the id.

    Args:
        url: the page that shows it; empty where none does, as for a synchronous request.
        name: its own id.
        about: what it is, in a few words.
        state: of a message of the hub or a call, else empty.
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
    The rows for which the text is an id of one kind.

    Args:
        title: what kind of id it is.
        hits: live ones first, a few.
        more: there are others.
        list_url: the list of all of them; empty where none shows them.
    """

    title: str
    hits: list[Hit]
    more: bool = False
    list_url: str = ""


# Yields, for each kind of id of a room that a text is, what has it.
LookUp = Callable[[str], Iterator[Kind]]
