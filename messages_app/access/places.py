"""
Addresses of objects that a person can pin, and that the browser remembers as recently opened.

Only the address is kept, never a title: titles of incidents and failures have words of error texts, which an
erasure would have to find.
"""

from dataclasses import dataclass
from urllib.parse import unquote

from django.urls import NoReverseMatch, Resolver404, resolve, reverse

from messages_app.access import roles

MAX_ADDRESS = 400
MAX_PLACES = 20


@dataclass(frozen=True, kw_only=True)
class PlaceKind:
    """
    A kind of object.

    Args:
        word: the word for it.
        argument: the argument of its address.
        icon: a symbol in static/icons/icons.svg.
        right: the permission for its page.
    """

    word: str
    argument: str
    icon: str
    right: str = roles.CAN_VIEW_MESSAGES


# By the route of the page.
KINDS = {
    "message-detail": PlaceKind(word="Message", argument="msg_id", icon="messages"),
    "incident": PlaceKind(word="Incident", argument="incident_id", icon="inbox"),
    "failure-group": PlaceKind(word="Failure", argument="group_id", icon="warning"),
    "job-detail": PlaceKind(word="Job", argument="job_id", icon="jobs", right=roles.CAN_VIEW_JOBS),
    "saved-view": PlaceKind(word="View", argument="view_id", icon="filter"),
    "key": PlaceKind(word="Key", argument="value", icon="key"),
    "service": PlaceKind(word="Service", argument="name", icon="map"),
    "system": PlaceKind(word="System", argument="name", icon="map"),
}


@dataclass(frozen=True, kw_only=True)
class Place:
    """The page of one object."""

    address: str
    route: str
    key: str

    @property
    def kind(self) -> PlaceKind:
        return KINDS[self.route]

    @property
    def label(self) -> str:
        return f"{self.kind.word} {self.key}"


def read_place(address: str) -> Place | None:
    """
    Return the object whose page has this path, or None. It may not exist.

    The path may be written in several ways; the one of the object is that of its links.
    """
    if len(address) > MAX_ADDRESS:
        return None
    try:
        match = resolve(unquote(address))
    except (Resolver404, ValueError):
        return None
    route = match.url_name or ""
    kind = KINDS.get(route)
    if kind is None:
        return None
    key = str(match.kwargs[kind.argument])
    own = "" if "\0" in key else address_of_place(route, key)
    return Place(address=own, route=route, key=key) if 0 < len(own) <= MAX_ADDRESS else None


def address_of_place(route: str, key: object) -> str:
    """Return the address of the page of an object; empty if it has none."""
    try:
        return reverse(route, kwargs={KINDS[route].argument: key})
    except NoReverseMatch:
        return ""
