"""How each person likes the table of messages: its columns and how close its rows stand."""

from collections.abc import Collection, Iterator

from django.contrib.auth.models import User
from django.db import models

from messages_app.core.lists.table import Column, Columns, Table
from messages_app.core.problems import FieldError, bad_input, shown
from messages_app.messages import fields
from messages_app.messages.list.models import ListPreference

# The columns of the message table: which there are, and which everyone sees at first.
#
# A cell's look is that of templates/messages_app/messages/_list_row.html, by the column's name; a column
# that is not named there shows `attribute` as it is.


def _of_fields() -> Iterator[Column]:
    """Yield the columns that show one column of the message each, in their place."""
    listed = [(name, fields.FIELDS[name]) for name in fields.NARROW_COLUMNS]
    offered = [(field.column_place, name, field) for name, field in listed if field.column_place is not None]
    for _, name, field in sorted(offered, key=lambda each: each[0]):
        yield Column(
            name=field.column or fields.key_of(name),
            title=field.label,
            attribute=name,
            is_number=isinstance(fields.MODEL_FIELDS[name], models.IntegerField),
        )


COLUMNS = Columns(
    # Always there: nothing says more about a message.
    first=Column(name="state", title="State", is_default=True),
    others=(
        Column(name="received", title="Received", is_default=True),
        Column(name="service", title="Service / operation", is_default=True),
        Column(name="source", title="Source", attribute="source_system", is_default=True),
        Column(name="key", title="Message", is_default=True),
        Column(name="error", title="Last error", is_default=True),
        Column(name="tries", title="Failed", is_default=True, is_number=True),
        Column(name="funnel", title="Funnel", is_default=True, is_mark=True),
        Column(name="age", title="In state", is_default=True, is_number=True),
        Column(name="family", title="Family", is_default=True, is_mark=True),
        *_of_fields(),
    ),
)


Density = ListPreference.Density


def table_of(user: User) -> Table:
    """Return the table as `user` likes it; as it comes for who never said."""
    row = ListPreference.objects.filter(pk=user.pk).first()
    names = COLUMNS.default_names if row is None else set(row.columns)
    return COLUMNS.table(names, is_compact=bool(row and row.density == Density.COMPACT))


def keep(*, user: User, columns: Collection[str], density: str) -> None:
    """
    Keep how `user` likes the table.

    Args:
        columns: names of list/preferences.py; none at all leaves the state alone.
        density: comfortable or compact.

    Raises:
        Problem: 400 with the field at fault.
    """
    errors = [
        FieldError("columns", "invalid_value", f"Unknown column {shown(name)}.")
        for name in columns
        if name not in COLUMNS.names
    ]
    if density not in Density.values:
        errors.append(FieldError("density", "invalid_value", "density must be comfortable or compact."))
    if errors:
        raise bad_input(errors)
    ListPreference.objects.update_or_create(
        user=user, defaults={"columns": sorted(set(columns)), "density": density}
    )


def forget(*, user: User) -> None:
    """Let `user` see the table as it comes."""
    ListPreference.objects.filter(pk=user.pk).delete()
