"""
Undoes the change or the deletion of a saved view, unless the view has changed since then.

Each is one conditional statement and is audited in its transaction, as far as others see the view.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.core.undo import UNDONE
from messages_app.messages.listing.models import SavedView
from messages_app.messages.listing.saved_views.services import (
    MAX_OF_ONE_OWNER,
    ViewNotFound,
    may_change,
    record_change,
)

statements = Statements("messages_app.messages.listing.saved_views")


class ViewHasChanged(ValueError):
    """The view is no longer as the change has left it."""


@dataclass(frozen=True, kw_only=True)
class ViewColumns:
    """The columns of a view that changes keep or change. `rules`: the watch rules that count its messages."""

    owner_id: int
    name: str
    query: str
    shared: bool
    created_at: datetime
    rules: Sequence[int]


def read_columns(view_id: int) -> ViewColumns | None:
    """Return the columns of a view; None if there is no such view."""
    view = SavedView.objects.filter(pk=view_id).first()
    return None if view is None else columns_of(view)


def columns_of(view: SavedView) -> ViewColumns:
    return ViewColumns(
        owner_id=view.owner_id,
        name=view.name,
        query=view.query,
        shared=view.shared,
        created_at=view.created_at,
        rules=statements.fetch_column("watching_rules", {"view_id": view.pk}),
    )


def undo_change(
    *, view_id: int, former: ViewColumns, left: ViewColumns | None, user: User, actor: audit.Actor
) -> None:
    """
    Give a view its former name, query and audience, or store a deleted view again.

    Args:
        left: the columns as the change left them; None: it deleted the view.

    Raises:
        ViewHasChanged: they are others now, its owner has another view with the former name, or a deleted one
            cannot be stored, because its owner is gone or has too many views.
        ViewNotFound: `user` may not change the view.
    """
    view = _make_view(view_id, former)
    if not may_change(view, user):
        raise ViewNotFound(f"You have no view {view_id} that you can change.")
    try:
        with transaction.atomic():
            if left is None:
                _restore_view(view_id, former)
            else:
                _change_back(view_id, former, left)
            if former.shared or (left and left.shared):
                record_change("change_view" if left else "save_view", view, actor, UNDONE)
    except IntegrityError:
        raise ViewHasChanged from None


def _change_back(view_id: int, former: ViewColumns, left: ViewColumns) -> None:
    rows = SavedView.objects.filter(pk=view_id, name=left.name, query=left.query, shared=left.shared)
    if not rows.update(name=former.name, query=former.query, shared=former.shared):
        raise ViewHasChanged


def _restore_view(view_id: int, former: ViewColumns) -> None:
    values = {"view_id": view_id, "most": MAX_OF_ONE_OWNER, **asdict(former)}
    if not statements.count("restore_view", values):
        raise ViewHasChanged
    statements.count("watch_again", {"view_id": view_id, "rules": list(former.rules)})


def _make_view(view_id: int, columns: ViewColumns) -> SavedView:
    return SavedView(
        pk=view_id,
        owner_id=columns.owner_id,
        name=columns.name,
        query=columns.query,
        shared=columns.shared,
    )
