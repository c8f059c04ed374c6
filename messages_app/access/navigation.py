"""The main menu of every page: the entries of the console itself and of the stores, by group and position."""

from collections.abc import Iterator

from django.contrib.auth.models import User

from messages_app.access import roles
from messages_app.core.stores import MenuEntry, MenuGroup, installed_stores
from messages_app.manual.links import CHAPTERS_OF_PAGES

_ENTRIES = (
    MenuEntry(
        title="Overview",
        url="/",
        icon="hub",
        key="g h",
        group=MenuGroup.OPERATE,
        permission=roles.CAN_VIEW_MESSAGES,
        chapter="reference/overview",
        position=0,
    ),
    MenuEntry(
        title="Incidents",
        url="/incidents/",
        icon="inbox",
        key="g i",
        group=MenuGroup.OPERATE,
        permission=roles.CAN_VIEW_MESSAGES,
        chapter="how_it_works/incidents",
        position=5,
        count="incidents",
        counted="open without an owner",
    ),
    MenuEntry(
        title="Jobs",
        url="/jobs/",
        icon="jobs",
        key="g j",
        group=MenuGroup.OPERATE,
        permission=roles.CAN_VIEW_JOBS,
        chapter="reference/jobs",
        position=40,
        count="jobs",
        counted="not finished",
    ),
    MenuEntry(
        title="Archive",
        url="/archive/",
        icon="archive",
        key="g a",
        group=MenuGroup.OPERATE,
        permission=roles.CAN_VIEW_JOBS,
        chapter="reference/archive",
        position=50,
    ),
    MenuEntry(
        title="Map",
        url="/map/",
        chapter="how_it_works/calls#the-map",
        icon="map",
        key="g p",
        group=MenuGroup.INSIGHT,
        permission=roles.CAN_VIEW_MESSAGES,
        position=10,
    ),
    MenuEntry(
        title="Handover",
        url="/handover/",
        icon="clock",
        key="g o",
        group=MenuGroup.INSIGHT,
        permission=roles.CAN_VIEW_JOBS,
        chapter="reference/overview#handover",
        position=90,
    ),
    MenuEntry(
        title="Alerts",
        url="/alerts/",
        chapter="reference/overview#alerts",
        icon="bell",
        group=MenuGroup.INSIGHT,
        permission=roles.CAN_VIEW_MESSAGES,
        position=80,
    ),
    MenuEntry(
        title="Audit log",
        url="/audit/",
        icon="audit",
        group=MenuGroup.ADMIN,
        permission=roles.CAN_VIEW_AUDIT,
        chapter="reference/security",
        position=0,
    ),
    MenuEntry(
        title="API",
        url="/api/v1/docs/",
        icon="api",
        group=MenuGroup.ADMIN,
        permission=roles.CAN_VIEW_MESSAGES,
        chapter="reference/errors",
        position=90,
    ),
    MenuEntry(
        title="Users",
        url="/users/",
        icon="user",
        group=MenuGroup.ADMIN,
        permission=roles.CAN_MANAGE_USERS,
        chapter="howto/users_and_tokens#add-a-user",
        position=10,
    ),
    MenuEntry(
        title="Tokens",
        url="/tokens/",
        icon="token",
        group=MenuGroup.ADMIN,
        permission=roles.CAN_MAKE_TOKENS,
        chapter="howto/users_and_tokens#create-a-token",
        position=20,
    ),
    MenuEntry(
        title="Schedules",
        url="/schedules/",
        icon="order",
        group=MenuGroup.ADMIN,
        permission=roles.CAN_ARCHIVE,
        chapter="reference/jobs#schedules",
        position=30,
    ),
    MenuEntry(
        title="Error codes",
        url="/error-codes/",
        icon="info",
        group=MenuGroup.ADMIN,
        permission=roles.CAN_CHANGE_CODES,
        chapter="reference/failure_groups#error-codes",
        position=40,
    ),
    MenuEntry(
        title="Settings and health",
        url="/settings/",
        icon="admin",
        group=MenuGroup.ADMIN,
        permission=roles.CAN_VIEW_SETTINGS,
        chapter="reference/settings",
        position=60,
    ),
    MenuEntry(
        title="Hub tables",
        url="/admin/",
        icon="table",
        group=MenuGroup.ADMIN,
        permission="",
        chapter="reference/django_admin",
        position=95,
    ),
)
_GROUPS = list(MenuGroup)


def all_entries() -> list[MenuEntry]:
    """Return the entries for all users, in the order of the menu."""
    of_stores = [entry for store in installed_stores() for entry in store.menu]
    return sorted([*_ENTRIES, *of_stores], key=_place_of)


def menu_entries(user: User) -> Iterator[MenuEntry]:
    """Yield the entries that `user` may open, in the order of the menu."""
    for entry in all_entries():
        if user.has_perm(entry.permission) if entry.permission else user.is_staff:
            yield entry


def _place_of(entry: MenuEntry) -> tuple[int, int]:
    return _GROUPS.index(entry.group), entry.position


def chapter_of_page(path: str) -> str:
    """Return the chapter of the manual about a page; empty, its first page, for other pages."""
    chapters = CHAPTERS_OF_PAGES | {entry.url: entry.chapter for entry in all_entries()}
    own = [address for address in chapters if path.startswith(address) and (address != "/" or path == "/")]
    return chapters[max(own, key=len)] if own else ""
