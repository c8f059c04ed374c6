"""Rows and records whose members all have different values, so that a test notices two that are swapped."""

import types
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, get_args, get_type_hints

from django.db import models
from rest_framework import serializers

from messages_app.core.representation import represent_value

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


def distinct_members(record_type: type[Any], **fixed: object) -> dict[str, object]:
    """Return a value for each member of a record, as `distinct_columns` for each column of a model."""
    if issubclass(record_type, models.Model):
        return distinct_columns(record_type, **fixed)
    hints = get_type_hints(record_type)
    assert set(fixed) <= set(hints), set(fixed) - set(hints)
    return {
        name: fixed[name] if name in fixed else _value_of_type(name, hint, place)
        for place, (name, hint) in enumerate(hints.items())
    }


def check_body(
    serializer: type[serializers.BaseSerializer[Any]],
    record_type: type[Any],
    *,
    renamed: Mapping[str, str] = types.MappingProxyType({}),
    without: Collection[str] = (),
    also: Mapping[str, object] = types.MappingProxyType({}),
    **fixed: object,
) -> None:
    """
    Compare a whole body with the members of a record, which all differ. Each flag is true in one body, where
    the others are false, and all are false in another.

    Args:
        renamed: the names in the body of members that have another name there.
        without: members that are not in the body.
        also: further members of the body, which the record does not have.
        fixed: members that the test chooses.
    """
    flags = [
        name for name, value in distinct_members(record_type, **fixed).items() if isinstance(value, bool)
    ]
    chosen = [name for name in flags if name not in fixed]
    for true_one in (None, *chosen):
        states = {name: name == true_one for name in chosen}
        members = distinct_members(record_type, **fixed | states)
        expected = {
            renamed.get(name, name): value for name, value in as_json(members).items() if name not in without
        }
        assert represent_value(serializer, record_type(**members)) == expected | also


def _value_of_type(name: str, hint: Any, place: int) -> object:
    types_of = [each for each in get_args(hint) if each is not type(None)] or [hint]
    values: dict[object, object] = {
        bool: place % 2 == 0,
        datetime: _FIRST_TIME + timedelta(minutes=place, microseconds=place),
        int: _FIRST_NUMBER + place,
        float: _FIRST_NUMBER + place + 0.5,
        str: f"{place}-{name}",
    }
    assert types_of[0] in values, f"choose a value for {name}: {hint}"
    return values[types_of[0]]


def _value_of(field: models.Field, place: int) -> object:
    if isinstance(field, models.BooleanField):
        return place % 2 == 0
    if isinstance(field, models.DateTimeField):
        return _FIRST_TIME + timedelta(minutes=place, microseconds=place)
    if isinstance(field, models.IntegerField):
        return _FIRST_NUMBER + place
    if isinstance(field, models.FloatField):
        return _FIRST_NUMBER + place + 0.5
    text = f"{place}-{field.attname}"
    return text[: field.max_length] if field.max_length else text
