"""Rows whose columns all have different values, so that a test notices two that are swapped."""

from datetime import UTC, datetime, timedelta

from django.db import models

_FIRST_TIME = datetime(2026, 11, 2, 12, tzinfo=UTC)
_FIRST_NUMBER = 7001


def distinct_columns(model: type[models.Model], **fixed: object) -> dict[str, object]:
    """
    Return a value for each column of a model: texts are the column's name and place, as far as they fit.

    Args:
        fixed: columns that the test chooses.
    """
    columns: dict[str, object] = {}
    for place, field in enumerate(model._meta.concrete_fields):
        columns[field.attname] = fixed.get(field.attname, _value_of(field, place))
    assert set(fixed) <= set(columns), set(fixed) - set(columns)
    return columns


def as_json(columns: dict[str, object]) -> dict[str, object]:
    """Return the values as the API writes them."""
    return {
        name: value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value
        for name, value in columns.items()
    }


def _value_of(field: models.Field, place: int) -> object:
    if isinstance(field, models.BooleanField):
        return place % 2 == 0
    if isinstance(field, models.DateTimeField):
        return _FIRST_TIME + timedelta(minutes=place, microseconds=place)
    if isinstance(field, models.IntegerField):
        return _FIRST_NUMBER + place
    text = f"{place}-{field.attname}"
    return text[: field.max_length] if field.max_length else text
