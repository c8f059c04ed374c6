"""
The functions of stores that shared code calls.

They are not in the store's registration, because the settings read that before models can be imported.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from django.contrib.auth.models import User

from messages_app.core.failure_sources import ItemSource, MessageSource
from messages_app.core.problems import Problem
from messages_app.core.search_results import LookUp
from messages_app.core.stores import Store, installed_stores


@dataclass(frozen=True, kw_only=True)
class StoreFunctions:
    """
    `FUNCTIONS` of the module that `Store.functions` names.

    Args:
        tiles: by the name of a tile, the function that takes a `Snapshot` of the dashboard and returns the
            content.
        rebuilds: by the area of its triggers, the function that completes the record for `rebuild_counts`. It
            takes `spark`, a session, and `dsn`, the database for executors, and returns a sentence about the
            missing rows.
        checks: by name, the checks of `doctor`: they return None, or one sentence for the fault and one for
            the remedy.
        name_checks: by the kind of a name, whether a text is a valid name for a limited scope.
        drawn: the enums whose values have a symbol `state-<value>` in static/icons/icons.svg.
        warm_up: prepares a web process before its first request.
        look_up: finds a pasted id.
        explain_denial: explains why the database refused a statement on a table: it takes the name of the
            table, and returns a Problem or None.
        explain_absence: explains why a table or column is missing, by a Problem; None: it does not know.
        explain_slowness: returns a sentence about why its queries can be slow, or an empty text.
        failures: the failures that are gathered into incidents; None: it has none.
        menu_counts: by the name in `MenuEntry.count`, the function that counts what needs a person. It
            reads an index, and stops at a limit.
        time_zone: returns the IANA name of the zone of the hub's times; None: the store does not know it.
    """

    tiles: Mapping[str, Callable[[Any], Mapping[str, object]]] = field(default_factory=dict)
    rebuilds: Mapping[str, Callable[..., str]] = field(default_factory=dict)
    checks: Mapping[str, Callable[[], tuple[str, str] | None]] = field(default_factory=dict)
    name_checks: Mapping[str, Callable[[str], bool]] = field(default_factory=dict)
    drawn: Sequence[Iterable[str]] = ()
    warm_up: Callable[[], None] | None = None
    look_up: LookUp | None = None
    explain_denial: Callable[[str], Problem | None] | None = None
    explain_absence: Callable[[], Problem | None] | None = None
    explain_slowness: Callable[[], str] | None = None
    failures: MessageSource | ItemSource | None = None
    menu_counts: Mapping[str, Callable[[], int]] = field(default_factory=dict)
    time_zone: Callable[[], str] | None = None


def functions_of(store: Store) -> StoreFunctions:
    functions: StoreFunctions = import_module(store.functions).FUNCTIONS
    return functions


def functions_of_stores() -> list[StoreFunctions]:
    """Return the functions of each store of this installation."""
    return [functions_of(store) for store in installed_stores()]


def look_ups_of(user: User) -> list[LookUp]:
    """Return the searches for ids of all stores that the user may look into."""
    return [
        look_up
        for store in installed_stores()
        if (look_up := functions_of(store).look_up) and user.has_perm(store.look_up_right)
    ]
