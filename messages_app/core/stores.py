"""
A store: what one of the systems leaves in the console, and everything that the console has for it.

Each store's package declares all of this in one object, `STORE` of its `registration.py`; the setting STORES
names the packages. Menu, routes, tasks, tiles, roles, privileges, erasure, search, `doctor` and
`rebuild_counts` read it here. The settings read it too, so it has plain values only: code is named by its
dotted path and loaded where it is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import NamedTuple

from django.conf import settings


@dataclass(frozen=True, kw_only=True)
class MenuEntry:
    """
    One entry of the menu.

    Args:
        url: its address, one of docs/spec/interfaces.md, "Pages and roles".
        icon: a symbol in static/icons/icons.svg.
        permission: what its reader must have; empty where being staff is what counts.
        position: where it is among the others, from 0.
        starts_group: whether a rule is above it.
        key: the keys that lead there from every page.
    """

    title: str
    url: str
    icon: str
    permission: str
    position: int
    starts_group: bool = False
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class StoreTile:
    """
    What the first page shows of a store: one tile, read by itself, which fails alone.

    Args:
        read: the function that takes a look of the dashboard and returns the content.
        template: of the tile; it is given `tile`.
        permission: what its reader must have.
        position: where it is among the others, from 0.
    """

    name: str
    read: str
    template: str
    permission: str
    position: int


@dataclass(frozen=True, kw_only=True)
class Periodic:
    """
    A task that Celery's beat starts again and again.

    Args:
        task: its dotted path.
        seconds: between two starts, or the name of the setting that has them.
        expires: whether a start that comes late is dropped.
    """

    task: str
    seconds: float | str
    expires: bool = False


@dataclass(frozen=True, kw_only=True)
class Worker:
    """
    The Celery worker of a store's own queue.

    Args:
        name: of the program that `up` runs, and of the service on a host.
        least, most: the settings that have the number of its processes.
    """

    name: str
    queue: str
    least: str
    most: str


@dataclass(frozen=True, kw_only=True)
class TriggerArea:
    """
    What the triggers of a store record of the hub's statements. Where they fail, the hub's statement goes on,
    and this is incomplete until it is rebuilt (docs/decisions/0023-triggers-never-fail-the-hub.md).

    Args:
        recorded: what is incomplete, for `doctor`.
        rebuild: the function that completes it for `rebuild_counts`. It takes `spark`, a session, and `dsn`,
            the database for executors, and returns a sentence about what was missing.
    """

    recorded: str
    rebuild: str


class Scope(NamedTuple):
    """
    What a token with this scope may do, if its user may too.

    Args:
        meaning: the same for people.
        rights: permissions, each in one scope at most.
        confined_to: the kind of a name after a second colon, such as the queue of queue:consume:RENDITION;
            empty: the scope takes no name. A view's `touched` returns the names that a call is about.
    """

    meaning: str
    rights: frozenset[str]
    confined_to: str = ""


def scope(meaning: str, *rights: str, confined_to: str = "") -> Scope:
    """Return a scope with these rights."""
    return Scope(meaning, frozenset(rights), confined_to)


# Of a table: what the parts web, worker, spark and erase may do, in the words of audit/privileges.py.
Row = tuple[str, str, str, str]


@dataclass(frozen=True, kw_only=True)
class Store:
    """
    A store of messages with all that the console has for it.

    Args:
        address: what its pages and calls begin with.
        urls: the module with its routes.
        menu: its entries of the main menu.
        models: the modules with its models.
        tasks: the packages with a module `tasks`.
        queues: of its tasks those that have a queue of their own, with that queue.
        workers: the workers of these queues.
        periodic: what beat starts, by name.
        tiles: what the first page shows of it.
        privileges: by table.
        roles: by role the permissions that it gives; an operator has those of support too, an admin all.
        scopes: what a token may be confined to, by name.
        service_rights: what programs do for each message, whose calls have a limit of their own.
        job_items: the object in jobs/stores/ by which jobs act on its rows; empty if none does.
        erasure: the module with `erase`, which takes a run, and `READERS`: by table what finds a subject's
            key in rows that a backup brought back.
        look_up: the function that finds a pasted id; empty where it has none.
        look_up_right: the permission for it.
        subjects: by kind of an audit entry's subject its name, and the route of its page.
        enums: names of sets of values in the API's description, with where the values are.
        name_checks: by kind of the names that confine a scope a function that returns whether a text may be
            one.
        drawn: enums whose values have a symbol `state-<value>` in static/icons/icons.svg.
        areas: what its triggers record, by the name that trigger_gap.area has.
        checks: what `doctor` asks of it, by name: functions that return None, or what is wrong and what to do
            about it, a sentence each.
    """

    address: str
    urls: str
    menu: Sequence[MenuEntry]
    models: Sequence[str]
    privileges: Mapping[str, Row]
    erasure: str
    tasks: Sequence[str] = ()
    queues: Mapping[str, str] = field(default_factory=dict)
    workers: Sequence[Worker] = ()
    periodic: Mapping[str, Periodic] = field(default_factory=dict)
    tiles: Sequence[StoreTile] = ()
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    service_rights: frozenset[str] = frozenset()
    job_items: str = ""
    look_up: str = ""
    look_up_right: str = ""
    subjects: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    enums: Mapping[str, str] = field(default_factory=dict)
    name_checks: Mapping[str, str] = field(default_factory=dict)
    drawn: Sequence[str] = ()
    areas: Mapping[str, TriggerArea] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)


# The whole of a table, for the part that owns it.
OWN = "r a w d"


def registered(packages: Sequence[str]) -> list[Store]:
    """Return the stores of packages, in their order."""
    return [import_module(f"{package}.registration").STORE for package in packages]


def stores() -> list[Store]:
    """Return the stores of this installation."""
    return registered(settings.STORES)
