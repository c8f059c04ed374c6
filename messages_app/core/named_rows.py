"""Rows that users name and change, and the audit log records: watch rules and webhooks."""

from collections.abc import Collection, Mapping

from django.db import IntegrityError, transaction
from django.db.models import Model

from messages_app.core.problems import bad_field
from messages_app.shared.visible_text import is_blank

_MAX_NAME = 100


def check_name(name: str) -> None:
    """Raise Problem, 400, if a row cannot have this name."""
    # The name is in the subject of mails: a line break would start another header.
    if is_blank(name) or not name.isprintable() or len(name) > _MAX_NAME:
        text = f"name must have 1 to {_MAX_NAME} characters on one line."
        raise bad_field("name", "invalid_value", text)


def save_named_row(row: Model, *, noun: str, update_fields: Collection[str] | None = None) -> None:
    """Save a row whose only unique column is `name`. Raises Problem: 400, another row has its name."""
    try:
        with transaction.atomic():
            row.save(update_fields=update_fields)
    except IntegrityError:
        raise bad_field("name", "duplicate", f"A {noun} named {row} already exists.") from None


def audited_values(columns: Mapping[str, object]) -> dict[str, str | float]:
    """Return changed columns as details of an audit entry."""
    return {
        name: value if isinstance(value, bool | int | float) else str(value)
        for name, value in columns.items()
    }
