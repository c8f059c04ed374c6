"""The console's main menu, on every page."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser

from messages_app.access import roles


@dataclass(frozen=True, kw_only=True)
class Entry:
    """
    One entry of the menu.

    Args:
        url: its address, one of docs/spec/interfaces.md, "Pages and roles".
        icon: a symbol in static/icons/icons.svg.
        permission: what its reader must have; empty where being staff is what counts.
        starts_group: whether a rule is above it.
        key: the keys that lead there from every page.
    """

    title: str
    url: str
    icon: str
    permission: str
    starts_group: bool = False
    key: str = ""


_ENTRIES = (
    Entry(
        title="Overview",
        url="/",
        icon="hub",
        key="g h",
        permission=roles.CAN_VIEW_MESSAGES,
    ),
    Entry(
        title="Messages",
        url="/messages/",
        icon="messages",
        key="g m",
        permission=roles.CAN_VIEW_MESSAGES,
    ),
    Entry(
        title="Failures",
        url="/failures/",
        icon="warning",
        key="g e",
        permission=roles.CAN_VIEW_MESSAGES,
    ),
    Entry(
        title="Funnels",
        url="/funnels/",
        icon="funnel",
        key="g f",
        permission=roles.CAN_VIEW_MESSAGES,
    ),
    Entry(
        title="Jobs",
        url="/jobs/",
        icon="jobs",
        permission=roles.CAN_VIEW_JOBS,
        key="g j",
    ),
    Entry(
        title="Archive",
        url="/archive/",
        icon="archive",
        key="g a",
        permission=roles.CAN_VIEW_JOBS,
    ),
    Entry(
        title="Document history",
        url="/document-history/",
        icon="documents",
        key="g d",
        permission=roles.CAN_VIEW_DOCUMENT_HISTORY,
    ),
    Entry(
        title="Message store",
        url="/message-store/",
        icon="store",
        key="g s",
        permission=roles.CAN_VIEW_STORE,
    ),
    Entry(
        title="CP queue",
        url="/cp-queue/",
        icon="queue",
        key="g q",
        permission=roles.CAN_VIEW_CP_QUEUE,
    ),
    Entry(
        title="Audit log",
        url="/audit/",
        icon="audit",
        permission=roles.CAN_VIEW_AUDIT,
    ),
    Entry(
        title="API",
        url="/api/v1/docs/",
        icon="api",
        permission=roles.CAN_VIEW_MESSAGES,
        starts_group=True,
    ),
    Entry(title="Admin", url="/admin/", icon="admin", permission=""),
)


def entries(user: AbstractBaseUser) -> Iterator[Entry]:
    """Yield what `user` may open, in the menu's order."""
    for entry in _ENTRIES:
        if user.has_perm(entry.permission) if entry.permission else user.is_staff:
            yield entry
