"""Reads of users, for their pages."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import F, Q
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.provider_settings import Provider, provider_at
from messages_app.audit.models import AuditEntry
from messages_app.audit.selectors import entry_page
from messages_app.core.lists.side_list import MAX_LINKS, SideLink, SideList, make_side_list
from messages_app.core.pagination.paginator import Order, Page, fetch_page
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.users")
_BY_NAME = Order(column="username", key="id")
_PAGE_SIZE = 50
_RECENT_ENTRIES = 20
_ADMINISTRATORS_TO_ASK = 3


@dataclass(frozen=True, kw_only=True)
class UserLine:
    """
    A user as the list shows them.

    Args:
        full_name: first and last name; may be empty.
        is_without_password: whether they have not set a password yet, or log in elsewhere.
        roles: the names of the groups.
        permissions: single permissions, without the name of the app.
        passkeys: how many they have.
        sessions, tokens: how many are valid now.
        last_seen_at: the last log-in or the last use of a session, to the minute; None: never.
        issuer, groups: the identity provider through which they log in, and their groups there at the last
            log-in; None: they have a local account.
    """

    user_id: int
    username: str
    full_name: str
    email: str
    is_active: bool
    is_superuser: bool
    is_staff: bool
    is_without_password: bool
    date_joined: datetime
    roles: list[str]
    permissions: list[str]
    has_second_factor: bool
    passkeys: int
    sessions: int
    tokens: int
    last_seen_at: datetime | None
    issuer: str | None
    groups: list[str] | None

    @property
    def provider(self) -> Provider | str:
        """The identity provider; its address if it is no longer declared; empty for a local account."""
        return provider_at(self.issuer or "") or self.issuer or ""


def user_page(*, text: str = "", cursor: str | None = None) -> tuple[Page[User], list[UserLine]]:
    """
    Return one page of users by name, with their lines.

    Args:
        text: a part of the user name, the names or the email address; empty: all users.
    """
    users = User.objects.only("username")
    if text:
        users = users.filter(
            Q(username__icontains=text)
            | Q(first_name__icontains=text)
            | Q(last_name__icontains=text)
            | Q(email__icontains=text)
        )
    page = fetch_page(users, order=_BY_NAME, cursor=cursor, page_size=_PAGE_SIZE, scope=text)
    return page, user_lines([user.pk for user in page.rows])


def user_lines(user_ids: list[int]) -> list[UserLine]:
    """Return the lines of these users, by name."""
    return statements.fetch_records("list_users", {"user_ids": user_ids}, UserLine)


def recent_entries(user: User) -> list[AuditEntry]:
    """Return the newest actions of a user that a part of the audit log has."""
    return list(entry_page(values={"actor": user.get_username()}, page_size=_RECENT_ENTRIES).rows)


def list_names_at_side(open_id: int = 0) -> SideList:
    """Return the users for the left of a form."""
    users = User.objects.order_by("username", "pk").values_list("pk", "username", "is_active")
    links = (
        SideLink(
            address=reverse("user", args=[pk]),
            title=username,
            second="" if is_active else "deactivated",
            is_open=pk == open_id,
        )
        for pk, username, is_active in users[: MAX_LINKS + 1]
    )
    return make_side_list("Users", reverse("user-list"), links)


def list_administrators_to_ask() -> list[str]:
    """Return the names of a few users who give roles, in the order of their last log-ins, newest first."""
    administrators = User.objects.with_perm(roles.CAN_MANAGE_USERS)
    last_seen_first = administrators.order_by(F("last_login").desc(nulls_last=True), "username")
    return [user.get_full_name() or user.get_username() for user in last_seen_first[:_ADMINISTRATORS_TO_ASK]]
