"""
Bodies and answers of the API: JSON values of objects, by the fields of a serializer.

The serializer is built and its fields are read once for each class. REST framework does both for each answer
and looks every value up by way of each field, which took half of the time of a list.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC
from typing import Any

from rest_framework import serializers
from rest_framework.fields import SkipField

from messages_app.shared.far_times import machine_text

Represent = Callable[[Any], Any]
# The value of a member that only its field can find.
_MISSING = object()


def represent_value(serializer: type[serializers.BaseSerializer[Any]], value: object) -> dict[str, Any]:
    """
    Return an object as `serializer(value).data` does.

    The serializer is shared by all threads and has no context.
    """
    members: dict[str, Any] = _known_representation(serializer)(value)
    return members


def represent_all(
    serializer: type[serializers.BaseSerializer[Any]], values: Iterable[object]
) -> list[dict[str, Any]]:
    """Return objects as `serializer(values, many=True).data` does. Further conditions as for `represent`."""
    one = _known_representation(serializer)
    return [one(value) for value in values]


# The serializers that validate all bodies of a kind. Validation keeps nothing in them. A serializer for each
# request would copy all its fields, which takes longer than the validation.
_validators: dict[type[serializers.BaseSerializer[Any]], serializers.BaseSerializer[Any]] = {}


def validate_value(serializer: type[serializers.BaseSerializer[Any]], data: object) -> Any:
    """Validate and return a body or a part of it. Raises ValidationError: 400 with the fields at fault."""
    if serializer not in _validators:
        _validators[serializer] = serializer()
    return _validators[serializer].run_validation(data)


_representations: dict[type[serializers.BaseSerializer[Any]], Represent] = {}


def _known_representation(serializer: type[serializers.BaseSerializer[Any]]) -> Represent:
    if serializer not in _representations:
        _representations[serializer] = _representation_of(serializer())
    return _representations[serializer]


def _representation_of(field: Any) -> Represent:
    """Return the `to_representation` of a field, or a faster function with the same results."""
    # A class that changes the method is not in the table.
    faster = _FASTER.get(type(field).to_representation)
    return field.to_representation if faster is None else faster(field)


def _represent_with_fields(serializer: serializers.Serializer[Any]) -> Represent:
    # REST framework's own list of the fields of an answer, for which it has no public name.
    members = [_describe_member(field) for field in serializer._readable_fields]

    def represent_object(value: Any) -> dict[str, Any]:
        read = _read_key if isinstance(value, Mapping) else getattr
        values = {}
        for name, attribute, field, convert in members:
            try:
                member = _MISSING if attribute is None else read(value, attribute)
            except (AttributeError, KeyError):
                member = _MISSING
            if member is _MISSING or callable(member):
                # The field knows methods, paths, and what a missing value means: a default or no member.
                try:
                    member = field.get_attribute(value)
                except SkipField:
                    continue
            values[name] = None if member is None else convert(member)
        return values

    return represent_object


def _read_key(value: Mapping[str, Any], key: str) -> Any:
    return value[key]


def _describe_member(field: Any) -> tuple[str, str | None, Any, Represent]:
    """Return the name of a field, the attribute with its value if there is one, the field, its function."""
    is_plain = type(field).get_attribute is serializers.Field.get_attribute and len(field.source_attrs) == 1
    return field.field_name, field.source if is_plain else None, field, _representation_of(field)


def _represent_with_list(field: serializers.ListSerializer[Any]) -> Represent:
    one = _representation_of(field.child)

    def represent_list(values: Any) -> list[Any]:
        return [one(value) for value in (values.all() if hasattr(values, "all") else values)]

    return represent_list


def _method_of_field(field: Any) -> Represent:
    method: Represent = getattr(field.parent, field.method_name)
    return method


def _represent_boolean(field: serializers.BooleanField) -> Represent:
    return lambda value: value if isinstance(value, bool) else field.to_representation(value)


def _represent_with_moment(field: serializers.DateTimeField) -> Represent:
    if hasattr(field, "format"):  # A format of its own.
        return field.to_representation

    def represent_moment(value: Any) -> str | None:
        # Times from the database are in UTC, which is also the time zone of the API (settings: TIME_ZONE).
        if getattr(value, "tzinfo", None) is not UTC:
            return field.to_representation(value)
        return machine_text(value)

    return represent_moment


_FASTER: dict[Callable[..., Any], Callable[[Any], Represent]] = {
    serializers.Serializer.to_representation: _represent_with_fields,
    serializers.ListSerializer.to_representation: _represent_with_list,
    serializers.SerializerMethodField.to_representation: _method_of_field,
    serializers.CharField.to_representation: lambda _field: str,
    serializers.IntegerField.to_representation: lambda _field: int,
    serializers.FloatField.to_representation: lambda _field: float,
    serializers.BooleanField.to_representation: _represent_boolean,
    serializers.DateTimeField.to_representation: _represent_with_moment,
}
