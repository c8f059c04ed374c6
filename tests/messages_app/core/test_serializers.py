import pytest
from rest_framework import serializers

from messages_app.core.serializers import (
    NO_REASON,
    OptionalReasonField,
    ReasonField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)


class BodySerializer(StrictSerializer):
    name = StrictCharField(max_length=5, required=False)
    number = StrictIntegerField(min_value=1, max_value=9, required=False)
    is_new = StrictBooleanField(required=False)
    kind = StrictChoiceField(choices=["a", "b"], required=False)


class ReasonSerializer(StrictSerializer):
    reason = ReasonField()


class OptionalReasonSerializer(StrictSerializer):
    reason = OptionalReasonField()


def values_of(body: dict, of: type[StrictSerializer] = BodySerializer) -> dict:
    serializer = of(data=body)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data


def codes_of(body: dict, of: type[StrictSerializer] = BodySerializer) -> dict[str, str]:
    """Return the code of each field's error."""
    with pytest.raises(serializers.ValidationError) as error:
        values_of(body, of)
    return {name: details[0].code for name, details in error.value.detail.items()}


class TestStrictSerializer:
    def test_returns_the_values(self):
        body = {"name": "abcde", "number": 9, "is_new": False, "kind": "b"}
        assert values_of(body) == body
        assert values_of({"number": 1, "is_new": True}) == {"number": 1, "is_new": True}

    @pytest.mark.parametrize(
        ("name", "value", "code"),
        [
            ("name", 1, "invalid"),
            ("name", True, "invalid"),
            ("name", ["a"], "invalid"),
            ("name", "abcdef", "max_length"),
            ("number", "1", "invalid"),
            ("number", 1.0, "invalid"),
            ("number", True, "invalid"),
            ("number", 0, "min_value"),
            ("number", 10, "max_value"),
            ("is_new", 1, "invalid"),
            ("is_new", 0, "invalid"),
            ("is_new", "true", "invalid"),
            ("kind", "c", "invalid_choice"),
            ("kind", "", "invalid_choice"),
            ("kund", "a", "unknown_field"),
        ],
    )
    def test_refuses_a_value_of_another_type_or_range(self, name, value, code):
        assert codes_of({"name": "a"} | {name: value}) == {name: code}

    def test_reports_unknown_fields_with_all_other_errors(self):
        assert codes_of({"nome": "a", "number": "1", "x": 1, "is_new": True}) == {
            "nome": "unknown_field",
            "number": "invalid",
            "x": "unknown_field",
        }

    def test_suggests_the_nearest_field_and_lists_the_choices(self):
        with pytest.raises(serializers.ValidationError) as error:
            values_of({"nam": "a", "kind": "zz"})
        assert "name" in str(error.value.detail["nam"][0])
        assert str(error.value.detail["kind"][0]) == "one of a, b; not 'zz'."


class TestReasonField:
    def test_is_required_and_has_at_most_a_thousand_characters(self):
        assert values_of({"reason": "r" * 1000}, ReasonSerializer) == {"reason": "r" * 1000}
        for body, code in (
            ({}, "required"),
            ({"reason": ""}, "blank"),
            ({"reason": "r" * 1001}, "max_length"),
        ):
            assert codes_of(body, ReasonSerializer) == {"reason": code}

    def test_says_that_none_was_given_if_it_is_optional(self):
        for body in ({}, {"reason": ""}):
            assert values_of(body, OptionalReasonSerializer) == {"reason": NO_REASON}
        assert values_of({"reason": "why"}, OptionalReasonSerializer) == {"reason": "why"}
        assert NO_REASON == "No reason was given."
