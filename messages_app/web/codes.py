"""
Values of a published list, as fields of the API's answers; the description has a schema for each list.

A closed list has no other value. An open list may have others, for the hub writes some tables and releases
add values. They are shown as they are stored, and the schema says so, with `anyOf`.
"""

from collections.abc import Iterable

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from rest_framework import serializers


class CodeField(serializers.Field):
    """
    A text or a number of a list, shown as it is stored.

    Args:
        name: of the list's schema.
        codes: the list.
        is_open: whether other values may come.
    """

    def __init__(
        self, name: str, codes: Iterable[str | int], *, is_open: bool = False, **kwargs: object
    ) -> None:
        super().__init__(**kwargs)
        self.name, self.is_open = name, is_open
        self.codes = [int(code) if isinstance(code, int) else str(code) for code in codes]

    def to_representation(self, value: str | int) -> str | int:
        return int(value) if isinstance(value, int) else str(value)


class CodeFieldSchema(OpenApiSerializerFieldExtension):
    """Describes a `CodeField` by a component, which `anyOf` opens to other values."""

    target_class = CodeField

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, object]:
        kind = "integer" if isinstance(self.target.codes[0], int) else "string"
        component = ResolvedComponent(
            name=self.target.name,
            type=ResolvedComponent.SCHEMA,
            schema={"type": kind, "enum": self.target.codes},
            object=self.target.name,
        )
        auto_schema.registry.register_on_missing(component)
        return {"anyOf": [component.ref, {"type": kind}]} if self.target.is_open else component.ref
