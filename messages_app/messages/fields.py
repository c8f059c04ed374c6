"""
The columns of a message with their descriptions, for everything that shows or reads columns.

Source: docs/contributing/recipes.md, "Add a column of the message".
"""

from typing import Any

from django.db import models
from django.db.models.fields import NOT_PROVIDED

from messages_app.messages.field_descriptions import FieldFilter, MessageField, Size, description_of
from messages_app.messages.hub_columns import MessageColumns

# By the column's name, in the hub's order.
MODEL_FIELDS: dict[str, "models.Field[Any, Any]"] = {
    field.name: field for field in MessageColumns._meta.local_fields
}
FIELDS: dict[str, MessageField] = {name: description_of(field) for name, field in MODEL_FIELDS.items()}
FILTERED: dict[str, FieldFilter] = {name: field.filter for name, field in FIELDS.items() if field.filter}

# Columns that the database fills if an INSERT leaves them out.
FILLED_BY_DATABASE = frozenset(
    name for name, field in MODEL_FIELDS.items() if field.db_default is not NOT_PROVIDED
)

# Texts that may be megabytes: no list reads them.
CONTENT_COLUMNS = tuple(name for name, field in FIELDS.items() if field.size is Size.CONTENT)
LONG_COLUMNS = tuple(name for name, field in FIELDS.items() if field.size is Size.WIDE)
WIDE_COLUMNS = (*CONTENT_COLUMNS, *LONG_COLUMNS)
NARROW_COLUMNS = tuple(name for name, field in FIELDS.items() if field.size is Size.NARROW)


def key_of(name: str) -> str:
    """Return the short name of a column."""
    return FIELDS[name].key or name


def filtered_columns(kind: type["models.Field[Any, Any]"]) -> list[str]:
    """Return the columns of one type with a filter of the list, in the order of the filters."""
    names = [name for name in FILTERED if isinstance(MODEL_FIELDS[name], kind)]
    return sorted(names, key=lambda name: FILTERED[name].place)


def facet_columns() -> list[str]:
    """Return the columns that are facets of the list, in their order."""
    places = {name: one.facet for name, one in FILTERED.items() if one.facet is not None}
    return sorted(places, key=lambda name: places[name])


def constant_columns() -> list[str]:
    """Return the columns with a filter by one value, the ones that leave the fewest messages first."""
    rarities = {
        name: one.rarity
        for name, one in FILTERED.items()
        if one.rarity is not None and not isinstance(MODEL_FIELDS[name], models.DateTimeField)
    }
    return sorted(rarities, key=lambda name: rarities[name])
