"""How each person likes the table of messages: its columns and how close its rows stand."""

from collections.abc import Collection

from django.contrib.auth.models import AbstractBaseUser

from messages_app.messages.keeping.models import ListPreference
from messages_app.messages.listing.columns import COLUMNS
from messages_app.web.lists.table import Table
from messages_app.web.problems import FieldError, bad_input, shown

Density = ListPreference.Density


def table_of(user: AbstractBaseUser) -> Table:
    """Return the table as `user` likes it; as it comes for who never said."""
    row = ListPreference.objects.filter(pk=user.pk).first()
    names = COLUMNS.default_names if row is None else set(row.columns)
    return COLUMNS.table(names, is_compact=bool(row and row.density == Density.COMPACT))


def keep(*, user: AbstractBaseUser, columns: Collection[str], density: str) -> None:
    """
    Keep how `user` likes the table.

    Args:
        columns: names of listing/columns.py; none at all leaves the state alone.
        density: comfortable or compact.

    Raises:
        Problem: 400 with the field at fault.
    """
    errors = [
        FieldError("columns", "invalid_value", f"There is no column {shown(name)}.")
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


def forget(*, user: AbstractBaseUser) -> None:
    """Let `user` see the table as it comes."""
    ListPreference.objects.filter(pk=user.pk).delete()
