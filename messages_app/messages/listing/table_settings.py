"""
The columns of the message table, with the default ones, and the choice of each user.

rows.py has the cells by the name of the column. Other columns show the value of `attribute`.
"""

from collections.abc import Collection, Iterator

from django.contrib.auth.models import User
from django.db import models

from messages_app.access.choices import choices_of
from messages_app.core.lists.table import Column, Columns, Table
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE
from messages_app.core.problems import FieldError, bad_input, quote_value
from messages_app.messages import fields
from messages_app.messages.listing.models import ListPreference


def _iterate_field_columns() -> Iterator[Column]:
    """Yield the columns of the table that show one column of the message, in their order."""
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
    # Always shown, because it says most about a message.
    first=Column(name="state", title="State", is_default=True),
    others=(
        Column(name="received", title="Received", is_default=True, is_sorted=True),
        Column(name="service", title="Service / operation", is_default=True),
        Column(name="source", title="Source", attribute="source_system", css_class="u-clip", is_default=True),
        Column(name="key", title="Message", is_default=True),
        Column(name="error", title="Last error", is_default=True),
        Column(name="tries", title="Failed", head_class="c-table-number", is_default=True),
        Column(name="funnel", title="Funnel", hint="Funnel", is_default=True, is_mark=True),
        Column(name="age", title="In state", head_class="c-table-number", is_default=True),
        Column(name="family", title="Family", hint="Family", is_default=True, is_mark=True),
        *_iterate_field_columns(),
    ),
)


def table_of(user: User) -> Table:
    """Return the table with the settings of `user`, or with the defaults."""
    row = ListPreference.objects.filter(pk=user.pk).first()
    names = COLUMNS.default_names if row is None else set(row.columns)
    return COLUMNS.choose_columns(names, is_compact=choices_of(user).is_compact)


# A page with every column and this many rows stays below 100 kB.
_MANY_COLUMNS, _ROWS_OF_MANY = 16, 25
# Each row leads to its message with the list's query.
_LONG_QUERY, _ROWS_WITH_LONG = 60, 40


def rows_on_page(table: Table, query: str) -> int:
    """
    Return the number of rows on a page, so that it stays small: fewer rows of many columns, or of a list with
    a long query.
    """
    if len(table.columns) > _MANY_COLUMNS:
        return _ROWS_OF_MANY
    return _ROWS_WITH_LONG if len(query) > _LONG_QUERY else DEFAULT_PAGE_SIZE


def keep_table(*, user: User, columns: Collection[str]) -> None:
    """
    Store the settings of the table for `user`.

    Args:
        columns: names of COLUMNS; an empty list leaves only the state.

    Raises:
        Problem: 400 with the field at fault.
    """
    errors = [
        FieldError("columns", "invalid_value", f"Unknown column {quote_value(name)}.")
        for name in columns
        if name not in COLUMNS.names
    ]
    if errors:
        raise bad_input(errors)
    ListPreference.objects.update_or_create(user=user, defaults={"columns": sorted(set(columns))})


def forget_table(*, user: User) -> None:
    """Reset the table of `user` to the defaults."""
    ListPreference.objects.filter(pk=user.pk).delete()
