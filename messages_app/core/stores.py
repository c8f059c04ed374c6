"""
Stores: one for the tables of each system, with everything that the console offers for them.

The package of each store declares all this in one object, `STORE` of its `registration.py`, and the setting
STORES names the packages. Menu, routes, tasks, tiles, roles, privileges, erasure, search, `doctor` and
`rebuild_counts` read it. The settings read it too, before Django is ready, so it only has plain values and
names of modules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import NamedTuple

from django.conf import settings


class MenuGroup(StrEnum):
    """The groups of the menu, in its order."""

    OPERATE = "Operate"
    STORES = "Stores"
    INSIGHT = "Insight"
    ADMIN = "Admin"


@dataclass(frozen=True, kw_only=True)
class MenuEntry:
    """
    One entry of the menu.

    Args:
        url: its address, from docs/contributing/spec/interfaces.md, "Pages and roles".
        icon: a symbol in static/icons/icons.svg.
        permission: the required permission; empty: the user must be staff.
        position: its position in its group, from 0.
        key: the keyboard shortcut that opens it from every page.
        count: the name of the number after its title, from dashboard/menu_counts.py; empty: none. It counts
            only what needs a person.
        counted: the meaning of the number, for screen readers.
        chapter: the chapter of the manual about it and the pages below it, such as "reference/jobs".
    """

    title: str
    url: str
    icon: str
    group: MenuGroup
    permission: str
    position: int
    key: str = ""
    count: str = ""
    counted: str = ""
    chapter: str = ""


@dataclass(frozen=True, kw_only=True)
class StoreTile:
    """
    A tile of the first page. Each tile is loaded separately, so that an error affects only that tile.

    Args:
        template: the template of the tile; its context has `tile`.
        permission: the required permission.
        position: its position among the tiles, from 0.
    """

    name: str
    template: str
    permission: str
    position: int


@dataclass(frozen=True, kw_only=True)
class Periodic:
    """
    A task that Celery beat starts periodically.

    Args:
        task: its dotted path.
        seconds: the interval, or the name of the setting that has it.
        expires: whether a delayed start is dropped.
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


class Scope(NamedTuple):
    """
    A scope: permissions that a token with it has, if its user has them too.

    Args:
        meaning: a sentence that describes the permissions.
        rights: the permissions. Each permission is in at most one scope.
        confined_to: the kind of a name after a second colon, such as the queue of queue:consume:RENDITION;
            empty: the scope takes no name. A view's `affected_names` returns the names that a call affects.
    """

    meaning: str
    rights: frozenset[str]
    confined_to: str = ""


def make_scope(meaning: str, *rights: str, confined_to: str = "") -> Scope:
    """Return a scope with these permissions."""
    return Scope(meaning, frozenset(rights), confined_to)


class RoleText(NamedTuple):
    """
    The words for a role.

    Args:
        meaning: a sentence that says what its users may do.
        is_for_programs: whether the role is meant for tokens of programs instead of people.
    """

    title: str
    meaning: str
    is_for_programs: bool = False


# The privileges of the parts web, worker, spark and erase for a table, in the notation of
# audit/privileges.py.
Row = tuple[str, str, str, str]


@dataclass(frozen=True, kw_only=True)
class Store:
    """
    A store of messages, with everything that the console offers for it.

    Args:
        address: the common prefix of the addresses of its pages and calls.
        urls: the module with its routes.
        menu: its entries in the main menu.
        models: the modules with its models.
        admin: the module that registers its tables in Django's admin; empty: none.
        tasks: the packages with a module `tasks`.
        queues: the queues of tasks that have their own, by the name of the task.
        workers: the workers of these queues.
        periodic: its periodic tasks, by name.
        tiles: its tiles on the first page.
        privileges: the database privileges, by table.
        roles: the permissions by role. Operators also have the permissions of support, admins have all.
        role_texts: the words for each role that only this store has.
        scopes: the scopes of tokens, by name.
        service_rights: the permissions for calls that programs make for each message. These calls have a rate
            limit of their own.
        job_items: the module in jobs/stores/ with `ITEMS`, by which jobs act on its rows; empty: no job does.
        functions: the module with `FUNCTIONS`, which shared code calls (core/store_functions.py).
        erasure: the module with `erase`, which takes a run, and `READERS`, the functions by table that find
            the key of a subject in restored rows of a backup.
        look_up_right: the permission to look up ids.
        subjects: (name, route of its page) of subjects of audit entries, by kind.
        enums: the dotted paths of enums, by their names in the API description.
        areas: the records that its triggers keep of the hub's statements, by the name in trigger_gap.area. If
            a trigger fails, the statement of the hub continues, and the record is incomplete until it is
            rebuilt (docs/contributing/decisions/0023-triggers-never-fail-the-hub.md).
    """

    address: str
    urls: str
    menu: Sequence[MenuEntry]
    models: Sequence[str]
    privileges: Mapping[str, Row]
    erasure: str
    functions: str
    admin: str = ""
    tasks: Sequence[str] = ()
    queues: Mapping[str, str] = field(default_factory=dict)
    workers: Sequence[Worker] = ()
    periodic: Mapping[str, Periodic] = field(default_factory=dict)
    tiles: Sequence[StoreTile] = ()
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    role_texts: Mapping[str, RoleText] = field(default_factory=dict)
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    service_rights: frozenset[str] = frozenset()
    job_items: str = ""
    look_up_right: str = ""
    subjects: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    enums: Mapping[str, str] = field(default_factory=dict)
    areas: Mapping[str, str] = field(default_factory=dict)


# All privileges for a table, for the part that owns it.
OWN = "r a w d"


def stores_of(packages: Sequence[str]) -> list[Store]:
    """Return the stores of the packages, in the same order."""
    return [import_module(f"{package}.registration").STORE for package in packages]


def installed_stores() -> list[Store]:
    """Return the stores of this installation."""
    return stores_of(settings.STORES)
