"""The console's main menu: the pages' own and the admin's show the same entries."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser

from messages_app.access import roles


@dataclass(frozen=True, kw_only=True)
class Entry:
    """
    One entry of the menu.

    Args:
        url: its address, one of spec/interfaces.md 9.
        icon: a symbol in static/icons/icons.svg.
        admin_icon: the like of it in the admin's icon font.
        permission: what its reader must have; empty where being staff is what counts.
        starts_group: whether a rule stands above it.
        key: the keys that lead there from every page.
    """

    title: str
    url: str
    icon: str
    admin_icon: str
    permission: str
    starts_group: bool = False
    key: str = ""


_ENTRIES = (
    Entry(
        title="Now",
        url="/",
        icon="hub",
        admin_icon="monitoring",
        key="g h",
        permission=roles.CAN_VIEW_MESSAGES,
    ),
    Entry(
        title="Messages",
        url="/messages/",
        icon="messages",
        admin_icon="mail",
        key="g m",
        permission=roles.CAN_VIEW_MESSAGES,
    ),
    Entry(
        title="Failures",
        url="/failures/",
        icon="warning",
        admin_icon="error",
        key="g e",
        permission=roles.CAN_VIEW_MESSAGES,
    ),
    Entry(
        title="Funnels",
        url="/funnels/",
        icon="funnel",
        admin_icon="filter_alt",
        key="g f",
        permission=roles.CAN_VIEW_MESSAGES,
    ),
    Entry(
        title="Jobs",
        url="/jobs/",
        icon="jobs",
        admin_icon="tune",
        permission=roles.CAN_VIEW_JOBS,
        key="g j",
    ),
    Entry(
        title="Archive",
        url="/archive/",
        icon="archive",
        admin_icon="inventory_2",
        key="g a",
        permission=roles.CAN_VIEW_JOBS,
    ),
    Entry(
        title="Document history",
        url="/document-history/",
        icon="documents",
        admin_icon="rule",
        key="g d",
        permission=roles.CAN_VIEW_DOCUMENT_HISTORY,
    ),
    Entry(
        title="Message store",
        url="/message-store/",
        icon="store",
        admin_icon="database",
        key="g s",
        permission=roles.CAN_VIEW_STORE,
    ),
    Entry(
        title="CP queue",
        url="/cp-queue/",
        icon="queue",
        admin_icon="move_to_inbox",
        key="g q",
        permission=roles.CAN_VIEW_CP_QUEUE,
    ),
    Entry(
        title="Audit",
        url="/audit/",
        icon="audit",
        admin_icon="history_edu",
        permission=roles.CAN_VIEW_AUDIT,
    ),
    Entry(
        title="API",
        url="/api/v1/docs/",
        icon="api",
        admin_icon="code",
        permission=roles.CAN_VIEW_MESSAGES,
        starts_group=True,
    ),
    Entry(title="Admin", url="/admin/", icon="admin", admin_icon="settings", permission=""),
)


def entries(user: AbstractBaseUser) -> Iterator[Entry]:
    """Yield what `user` may open, in the menu's order."""
    for entry in _ENTRIES:
        if user.has_perm(entry.permission) if entry.permission else user.is_staff:
            yield entry
