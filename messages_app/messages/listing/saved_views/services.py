"""
Saved views of the list with every write to them, and the tabs of the list that show them.

A view has an owner. A shared view is a tab for everyone. Its owner may change it, and users with the
permission to change shared views may change a shared one. The audit log records changes of shared views.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone

from messages_app.access import roles
from messages_app.audit import services as audit
from messages_app.core.filters import address
from messages_app.core.filters.table import name_values
from messages_app.core.problems import Problem, bad_field
from messages_app.messages.filters.message_filter import (
    FILTERS,
    names_for,
    read_list_filter,
    refuse_without_reason,
)
from messages_app.messages.listing.models import MAX_NAME, MAX_QUERY, SavedView
from messages_app.shared.message_states import UNDER_WAY_STATES, MessageState

MAX_OF_ONE_OWNER = 50


# More tabs than this are not readable; the page of views has the others.
MAX_TABS = 30


@dataclass(frozen=True, kw_only=True)
class View:
    """
    A built-in tab of the list.

    Args:
        query: the query string of the list's address.
        shows_failing: whether its name has the number of failing messages.
    """

    name: str
    query: str
    meaning: str = ""
    shows_failing: bool = False


def _join_states(states: Collection[MessageState]) -> str:
    """Return states as in an address, in the order of MessageState."""
    return ",".join(state for state in MessageState if state in states)


# Source: docs/contributing/spec/cleverbus.md, "States". Waiting too long includes PROCESSING beyond the hub's
# repair.
BUILT_IN = (
    View(name="All", query="", meaning="All messages in the hub"),
    View(
        name="Failing now",
        query=f"state={MessageState.FAILED}",
        meaning="Failed, whatever their age",
        shows_failing=True,
    ),
    View(
        name="Retrying",
        query=f"state={MessageState.PARTLY_FAILED}",
        meaning="Waiting for the next attempt",
    ),
    View(
        name="Waiting too long",
        query=f"state={_join_states(UNDER_WAY_STATES)}&last_process_timestamp_to=-15m",
        meaning="In progress without a change for 15 minutes",
    ),
    View(
        name="Postponed",
        query=f"state={MessageState.POSTPONED}",
        meaning="Waiting for another message in a funnel or order",
    ),
)


class ViewNotFound(Exception):
    """The user has no such view that they may change."""


def views_of(user: User) -> list[SavedView]:
    """Return the views in the tabs of `user`: their own first, then shared ones, by name."""
    return [view for view in _list_views_for(user) if _is_readable(view, user)]


def view_of(user: User, view_id: int) -> SavedView | None:
    """
    Return the view with this id, if it is in the tabs of `user`.

    Raises:
        PermissionDenied: the session needs a reason first.
    """
    view = next((view for view in _list_views_for(user) if view.pk == view_id), None)
    if view is None:
        return None
    refuse_without_reason(QueryDict(view.query), user=user)
    return view if _is_readable(view, user) else None


def _list_views_for(user: User) -> list[SavedView]:
    own = SavedView.objects.filter(owner=user).order_by("name")[:MAX_OF_ONE_OWNER]
    shared = SavedView.objects.filter(shared=True).exclude(owner=user).select_related("owner")
    return [*own, *shared.order_by("name", "view_id")[:MAX_TABS]]


def _is_readable(view: SavedView, user: User) -> bool:
    """Whether `user` may use every filter of the view: a search of payloads needs a permission."""
    return set(QueryDict(view.query)) <= names_for(user) | address.PARAMETERS


def may_change(view: SavedView, user: User) -> bool:
    return view.owner_id == user.pk or (view.shared and user.has_perm(roles.CAN_CHANGE_SHARED_VIEWS))


def save_view(
    *, user: User, name: str, query: str, shared: bool, actor: audit.Actor
) -> tuple[SavedView, SavedView | None]:
    """
    Save a view, or change the query of the user's view with this name.

    Returns:
        The view, and the view as it was before; None: it is new.

    Args:
        query: the query string of the list's address, without the page.

    Raises:
        Problem: 400 with the field at fault: name, or query if it is not one of the list.
    """
    name = _check_name(name)
    query = _check_query(query, user)
    with transaction.atomic():
        before = SavedView.objects.select_for_update().filter(owner=user, name=name).first()
        if before is None:
            _refuse_too_many(user)
        view, _ = SavedView.objects.update_or_create(
            owner=user, name=name, defaults={"query": query, "shared": shared}
        )
        if shared or (before and before.shared):
            record_change("change_view" if before else "save_view", view, actor)
    return view, before


def rename_view(*, view_id: int, user: User, name: str, actor: audit.Actor) -> None:
    """
    Give a view another name.

    Raises:
        Problem: 400, the name is invalid, or its owner has another view with it.
        ViewNotFound: `user` has no such view that they may change.
    """
    name = _check_name(name)
    try:
        with transaction.atomic():
            _change_view(view_id, user, actor, "rename_view", name=name)
    except IntegrityError:
        raise bad_field("name", "duplicate", f"A view named {name} already exists.") from None


def share_view(*, view_id: int, user: User, shared: bool, actor: audit.Actor) -> None:
    """
    Show a view to everyone, or only to its owner.

    Raises:
        ViewNotFound: `user` has no such view that they may change.
    """
    with transaction.atomic():
        _change_view(view_id, user, actor, "share_view" if shared else "unshare_view", shared=shared)


def delete_view(*, view_id: int, user: User, actor: audit.Actor) -> None:
    """
    Delete a view.

    Raises:
        ViewNotFound: `user` has no such view that they may change.
    """
    with transaction.atomic():
        view = _lock_view(view_id, user)
        view.delete()
        if view.shared:
            record_change("delete_view", view, actor)


def _change_view(view_id: int, user: User, actor: audit.Actor, action: str, **columns: object) -> None:
    view = _lock_view(view_id, user)
    was_shared = view.shared
    SavedView.objects.filter(pk=view.pk).update(**columns)
    for column, value in columns.items():
        setattr(view, column, value)
    if was_shared or view.shared:
        record_change(action, view, actor)


def _lock_view(view_id: int, user: User) -> SavedView:
    view = _changeable_views(user).select_for_update().filter(pk=view_id).first()
    if view is None:
        raise ViewNotFound(f"You have no view {view_id} that you can change.")
    return view


def _changeable_views(user: User) -> QuerySet[SavedView]:
    own = Q(owner=user)
    return SavedView.objects.filter(
        own | Q(shared=True) if user.has_perm(roles.CAN_CHANGE_SHARED_VIEWS) else own
    )


def record_change(action: str, view: SavedView, actor: audit.Actor, reason: str = "") -> None:
    details = {"view": view.name, "query": view.query}
    audit.record_entry(actor=actor, action=action, reason=reason, details=details)


def _check_name(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= MAX_NAME or "\0" in name:
        raise bad_field("name", "invalid_value", f"A name must have 1 to {MAX_NAME} characters.")
    if name in {view.name for view in BUILT_IN}:
        raise bad_field("name", "duplicate", f"{name} is the name of a built-in view. Choose another name.")
    return name


def _check_query(query: str, user: User) -> str:
    """Return the query as it is stored: in normal form, without the page, and valid for the list."""
    now = timezone.now()
    params = address.tidy_params(QueryDict(query.removeprefix("?")), FILTERS, now=now)
    for name in ("cursor", address.AT):
        params.pop(name, None)
    try:
        filters = read_list_filter(params, user=user, now=now)
    except Problem as problem:
        raise bad_field("query", "invalid_value", f"Invalid filter: {problem.detail}") from None
    text = address.query_of(params).removeprefix("?")
    if not filters.values:
        raise bad_field("query", "required", "There is no filter to save. Filter the list first.")
    if len(text) > MAX_QUERY:
        raise bad_field("query", "too_long", f"A saved filter can have at most {MAX_QUERY} characters.")
    return text


def _refuse_too_many(user: User) -> None:
    if SavedView.objects.filter(owner=user).count() >= MAX_OF_ONE_OWNER:
        raise bad_field("name", "too_many", f"You have {MAX_OF_ONE_OWNER} views. Delete one first.")


@dataclass(frozen=True, kw_only=True)
class Tab:
    """
    One tab.

    Args:
        query: the query string of the list's address, with its question mark if it has one.
        title: its meaning, or its owner.
        view_id: of a view that a user saved; None: it is built in.
    """

    name: str
    query: str
    title: str
    is_on: bool
    view_id: int | None = None
    is_shared: bool = False
    shows_failing: bool = False


def tabs_of(user: User, params: QueryDict) -> list[Tab]:
    """Return the tabs of `user`. The tab with the filter of `params` is on."""
    now = filters_of_params(params)
    own = [
        Tab(
            name=view.name,
            query=f"?{view.query}" if view.query else "",
            title=view.meaning,
            is_on=filters_of_params(QueryDict(view.query)) == now,
            shows_failing=view.shows_failing,
        )
        for view in BUILT_IN
    ]
    saved = [
        Tab(
            name=view.name,
            query=f"?{view.query}",
            title=f"Shared by {view.owner.get_username()}" if view.owner_id != user.pk else "Your view",
            is_on=filters_of_params(QueryDict(view.query)) == now,
            view_id=view.pk,
            is_shared=view.shared,
        )
        for view in views_of(user)
    ]
    return own + saved


def filters_of_params(params: QueryDict) -> dict[str, str | list[str]]:
    pairs = address.pairs_of(params)
    return name_values((name, value) for name, value in pairs if name not in address.PARAMETERS)
