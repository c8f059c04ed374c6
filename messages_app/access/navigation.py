"""The main menu of every page: the entries of the console itself and of the stores, by position."""

from collections.abc import Iterator

from django.contrib.auth.models import User

from messages_app.access import roles
from messages_app.core.stores import MenuEntry, installed_stores

_ENTRIES = (
    MenuEntry(
        title="Overview",
        url="/",
        icon="hub",
        key="g h",
        permission=roles.CAN_VIEW_MESSAGES,
        position=0,
    ),
    MenuEntry(
        title="Jobs",
        url="/jobs/",
        icon="jobs",
        permission=roles.CAN_VIEW_JOBS,
        key="g j",
        position=40,
    ),
    MenuEntry(
        title="Archive",
        url="/archive/",
        icon="archive",
        key="g a",
        permission=roles.CAN_VIEW_JOBS,
        position=50,
    ),
    MenuEntry(
        title="Incidents",
        url="/incidents/",
        icon="inbox",
        key="g i",
        permission=roles.CAN_VIEW_MESSAGES,
        position=5,
        shows_unowned=True,
    ),
    MenuEntry(
        title="Audit log",
        url="/audit/",
        icon="audit",
        permission=roles.CAN_VIEW_AUDIT,
        position=90,
    ),
    MenuEntry(
        title="API",
        url="/api/v1/docs/",
        icon="api",
        permission=roles.CAN_VIEW_MESSAGES,
        starts_group=True,
        position=100,
    ),
    MenuEntry(title="Admin", url="/admin/", icon="admin", permission="", position=110),
)


def menu_entries(user: User) -> Iterator[MenuEntry]:
    """Yield the entries that `user` may open, in the order of the menu."""
    of_stores = [entry for store in installed_stores() for entry in store.menu]
    for entry in sorted([*_ENTRIES, *of_stores], key=lambda entry: entry.position):
        if user.has_perm(entry.permission) if entry.permission else user.is_staff:
            yield entry
