"""
The pinned and recently opened objects: in the menu, and in the search dialog before anything is typed.

The database keeps pins, and the browser keeps the addresses of opened objects, because a write for each
opened page would slow every page. Each object is looked up, so that missing ones are left out.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import DatabaseError, connection

from messages_app.access import roles
from messages_app.access.choices import choices_of
from messages_app.access.places import MAX_PLACES, Place, read_place
from messages_app.business_keys.selectors import find_existing
from messages_app.core.clock import time_limit
from messages_app.core.search_results import Hit, Kind
from messages_app.incidents.models import Incident
from messages_app.jobs.labels import title_of
from messages_app.jobs.models import Job
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.listing.saved_views.services import views_of
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.models import ColdMessage

logger = logging.getLogger(__name__)

# Of one statement. Each reads rows by their keys.
_MS = 200


@dataclass(frozen=True, kw_only=True)
class Described:
    """An object that exists: its name, unless its kind and key are one, and a few words."""

    name: str = ""
    about: str = ""


# By the keys of the objects.
Descriptions = Mapping[str, Described]


def list_pins(user: User) -> list[tuple[Place, str]]:
    """Return the pinned objects that `user` may open, with their names; none if they cannot be read now."""
    pins = choices_of(user).pins
    if not pins or connection.needs_rollback:
        return []
    try:
        hits = describe_places(pins, user)
    except DatabaseError:
        logger.warning("The pinned objects of the menu could not be read.", exc_info=True)
        return []
    return [(place, hits[place.address].name) for place in _read_places(pins) if place.address in hits]


def find_places(recent: Sequence[str], user: User) -> Iterator[Kind]:
    """
    Yield the pinned objects of `user`, and then the recent ones that are not pinned.

    Args:
        recent: the addresses that the browser remembers, newest first.

    Raises:
        django.db.OperationalError: they could not be read in time.
    """
    pins = choices_of(user).pins
    hits = describe_places([*pins, *recent[:MAX_PLACES]], user)
    for title, name, own in (
        ("Pinned", "pinned", [hits[one] for one in pins if one in hits]),
        ("Recent", "recent", [hit for one, hit in hits.items() if one not in pins]),
    ):
        if own:
            yield Kind(title=title, name=name, hits=own)


def describe_places(addresses: Sequence[str], user: User) -> dict[str, Hit]:
    """
    Return the objects that exist and that `user` may open, by address, in the order of `addresses`.

    Raises:
        django.db.OperationalError: they could not be read in time.
    """
    places = [place for place in _read_places(addresses) if user.has_perm(place.kind.right)]
    descriptions: dict[str, Descriptions] = {}
    if places:
        with time_limit(_MS):
            for route in dict.fromkeys(place.route for place in places):
                keys = [place.key for place in places if place.route == route]
                descriptions[route] = _DESCRIBED_BY[route](keys, user)
    return {
        place.address: Hit(url=place.address, name=one.name or place.label, about=one.about)
        for place in places
        if (one := descriptions[place.route].get(place.key))
    }


def _read_places(addresses: Sequence[str]) -> list[Place]:
    return [place for address in dict.fromkeys(addresses) if (place := read_place(address))]


def _describe_messages(keys: Collection[str], user: User) -> Descriptions:
    descriptions: dict[str, Described] = {}
    columns = ("msg_id", "state", "service_name", "operation_name")
    for table in (Message, ArchiveMessage, ColdMessage):
        if missing := [int(key) for key in keys if key not in descriptions]:
            rows = table._default_manager.filter(pk__in=missing).values_list(*columns)
            for msg_id, state, *names in rows:
                descriptions[str(msg_id)] = Described(about=" · ".join([state, *filter(None, names)]))
    return descriptions


def _describe_incidents(keys: Collection[str], user: User) -> Descriptions:
    rows = Incident.objects.filter(pk__in=keys, merged_into=None).only("title", "state")
    return {str(row.pk): Described(name=row.title, about=f"incident {row.pk} · {row.state}") for row in rows}


def _describe_failures(keys: Collection[str], user: User) -> Descriptions:
    rows = FailureGroup.objects.filter(pk__in=keys)
    return {str(row.pk): Described(name=row.title, about=f"failure · {row.service_name}") for row in rows}


def _describe_jobs(keys: Collection[str], user: User) -> Descriptions:
    columns = ("job_id", "kind", "options", "state", "undo_of", "retry_of", "created_by")
    rows = Job.objects.only(*columns).filter(pk__in=keys)
    return {
        str(row.pk): Described(name=f"Job {row.pk}: {title_of(row)}", about=f"{row.state} · {row.created_by}")
        for row in rows
    }


def _describe_views(keys: Collection[str], user: User) -> Descriptions:
    return {
        str(view.pk): Described(name=view.name, about="shared view" if view.shared else "your view")
        for view in views_of(user)
    }


def _describe_keys(keys: Collection[str], user: User) -> Descriptions:
    names = find_existing(keys, may_view_payload=user.has_perm(roles.CAN_VIEW_PAYLOAD))
    return {value: Described(name=f"{name} {value}", about="key") for value, name in names.items()}


def _describe_names(keys: Collection[str], user: User) -> Descriptions:
    """Names of services and systems are those of the address."""
    return dict.fromkeys(keys, Described())


_DESCRIBED_BY: Mapping[str, Callable[[Collection[str], User], Descriptions]] = {
    "message-detail": _describe_messages,
    "incident": _describe_incidents,
    "failure-group": _describe_failures,
    "job-detail": _describe_jobs,
    "saved-view": _describe_views,
    "key": _describe_keys,
    "service": _describe_names,
    "system": _describe_names,
}
