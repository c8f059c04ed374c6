"""Strict serializers for bodies of the API: unknown fields and values of another type are errors."""

from collections.abc import Mapping, MutableMapping
from datetime import datetime
from typing import Any, NoReturn

from rest_framework import serializers
from rest_framework.fields import SkipField

from messages_app.core.filters.values import InvalidValue, Parameter, parse_time
from messages_app.core.problems import quote_value, unknown_name
from messages_app.core.reason_form import MAX_REASON
from messages_app.shared.visible_text import is_blank


class StrictSerializer(serializers.Serializer[object]):
    """Rejects unknown fields, and suggests the nearest known one."""

    def to_internal_value(self, data: Mapping[str, object]) -> dict[str, object]:
        unknown = {
            name: [serializers.ErrorDetail(unknown_name("field", name, self.fields), code="unknown_field")]
            for name in data
            if name not in self.fields
        }
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            # A body is an object, so its errors are reported by field.
            wrong = error.detail if isinstance(error.detail, dict) else {}
            raise serializers.ValidationError({**unknown, **wrong}) from None
        if unknown:
            raise serializers.ValidationError(unknown)
        return dict(values)


class StrictCharField(serializers.CharField):
    """A text field that rejects numbers. A text without a visible character is empty."""

    def run_validation(self, data: object = serializers.empty) -> str:
        if self.trim_whitespace and isinstance(data, str) and is_blank(data):
            data = ""
        text: str = super().run_validation(data)
        return text

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictIntegerField(serializers.IntegerField):
    """A whole number. Rejects "1", 1.0 and true."""

    def to_internal_value(self, data: object) -> int:
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictBooleanField(serializers.BooleanField):
    """true or false. Rejects 1 and "yes"."""

    def to_internal_value(self, data: object) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictChoiceField(serializers.ChoiceField):
    """A string from a list. The error of other strings has the list."""

    default_error_messages = {"invalid_choice": "one of {known}; not {input}."}

    def fail(self, key: str, **values: object) -> NoReturn:
        choices = ", ".join(map(str, self.choices))
        super().fail(key, known=choices, **(values | {"input": quote_value(values.get("input", ""))}))


class StrictTimeField(serializers.DateTimeField):
    """A time with a UTC offset, as in the filters of lists. Rejects a time whose zone is unknown."""

    def to_internal_value(self, value: object) -> datetime:
        try:
            return parse_time(
                value if isinstance(value, str) else repr(value), Parameter(self.field_name or "")
            )
        except InvalidValue as error:
            code = "max_value" if error.code == "out_of_range" else "invalid"
            sentence = str(error).removeprefix(f"{self.field_name} ")
            raise serializers.ValidationError(sentence, code=code) from None


class ReasonField(StrictCharField):
    """
    The reason of an operator, which every action requires (docs/contributing/spec/interfaces.md, "Rules of
    the API").
    """

    def __init__(
        self,
        *,
        required: bool | None = None,
        default: str | None = None,
        allow_blank: bool = False,
        source: str | None = None,
    ) -> None:
        super().__init__(
            max_length=MAX_REASON,
            source=source,
            help_text="Reason; recorded in the audit log.",
            required=required,
            default=serializers.empty if default is None else default,
            allow_blank=allow_blank,
        )


# The reason in the audit log of an action whose caller gave none.
NO_REASON = "No reason was given."


class OptionalReasonField(ReasonField):
    """
    The reason of an action that may be done without one, as the vendors' clients do. The audit log says that
    none was given.
    """

    def __init__(self) -> None:
        super().__init__(required=False, default="", allow_blank=True)

    def run_validation(self, data: object = serializers.empty) -> str:
        return super().run_validation(data) or NO_REASON


class RowSerializer(serializers.ModelSerializer[Any]):
    # The answer with columns of a row; `Meta` names its model and its columns.
    def include_extra_kwargs(
        self, kwargs: MutableMapping[str, Any], extra_kwargs: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        return super().include_extra_kwargs(kwargs, {**extra_kwargs, "read_only": True})


class ConstantField(serializers.IntegerField):
    """A number that is the same in all answers."""

    def __init__(self, value: int, *, help_text: str) -> None:
        super().__init__(help_text=help_text)
        self.value = value

    def get_attribute(self, instance: object) -> int:
        return self.value


class OptionalTextField(serializers.CharField):
    """A text that answers leave out if there is no value."""

    def __init__(self, *, source: str | None = None, help_text: str) -> None:
        super().__init__(required=False, source=source, help_text=help_text)

    def get_attribute(self, instance: Any) -> str:
        value = super().get_attribute(instance)
        if value is None:
            raise SkipField
        return value


class CountSerializer(serializers.Serializer[object]):
    """The answer of `count/` of any list."""

    count = serializers.IntegerField()
    exact = serializers.BooleanField(help_text="false: an estimate.")
