from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum, StrEnum
from types import SimpleNamespace

import pytest
from rest_framework import serializers

from messages_app.core.representation import represent_all, represent_value


class Colour(StrEnum):
    RED = "red"


class Size(IntEnum):
    LARGE = 3


class PartSerializer(serializers.Serializer):
    name = serializers.CharField()
    made_at = serializers.DateTimeField(source="made")


class ThingSerializer(serializers.Serializer):
    colour = serializers.CharField()
    size = serializers.IntegerField()
    weight = serializers.FloatField()
    is_new = serializers.BooleanField()
    day = serializers.DateTimeField(source="at", format="%Y-%m-%d")
    at = serializers.DateTimeField()
    owner = serializers.CharField(source="owner.name")
    label = serializers.CharField(source="title")
    state = serializers.CharField(default="unknown")
    note = serializers.CharField(required=False)
    part = PartSerializer()
    parts = PartSerializer(many=True)
    double = serializers.SerializerMethodField()
    secret = serializers.CharField(write_only=True)

    def get_double(self, thing: SimpleNamespace) -> int:
        return (thing.size or 0) * 2


_AT = datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC)
_PART = {"name": "lid", "made": _AT}


def _thing(**values: object) -> SimpleNamespace:
    return SimpleNamespace(
        **{
            "colour": Colour.RED,
            "size": Size.LARGE,
            "weight": 2,
            "is_new": True,
            "at": _AT,
            "owner": SimpleNamespace(name="Ann"),
            "title": lambda: "a thing",
            "part": _PART,
            "parts": [_PART],
            "secret": "hidden",
        }
        | values
    )


_SHOWN = {
    "colour": "red",
    "size": 3,
    "weight": 2.0,
    "is_new": True,
    "day": "2026-03-04",
    "at": "2026-03-04T05:06:07.000089Z",
    "owner": "Ann",
    "label": "a thing",
    "state": "unknown",
    "part": {"name": "lid", "made_at": "2026-03-04T05:06:07.000089Z"},
    "parts": [{"name": "lid", "made_at": "2026-03-04T05:06:07.000089Z"}],
    "double": 6,
}


def test_an_object_is_shown_by_the_fields_of_its_serializer():
    assert represent_value(ThingSerializer, _thing()) == _SHOWN == ThingSerializer(_thing()).data


def test_members_have_the_order_of_the_fields_and_plain_types():
    shown = represent_value(ThingSerializer, _thing())
    assert list(shown) == list(_SHOWN)
    assert {name: type(shown[name]) for name in ("colour", "size", "weight")} == {
        "colour": str,
        "size": int,
        "weight": float,
    }


def test_a_value_of_none_is_null_whatever_its_field():
    names = ("colour", "size", "weight", "is_new", "at", "part", "parts")
    thing = _thing(**dict.fromkeys(names), title=None)
    shown = represent_value(ThingSerializer, thing)
    assert {name: shown[name] for name in (*names, "label", "day")} == dict.fromkeys((*names, "label", "day"))


@pytest.mark.parametrize(
    ("at", "text"),
    [
        pytest.param(datetime(2026, 3, 4, tzinfo=UTC), "2026-03-04T00:00:00Z", id="UTC"),
        pytest.param(
            datetime(2026, 3, 4, 5, tzinfo=timezone(timedelta(hours=2))),
            "2026-03-04T03:00:00Z",
            id="other zone",
        ),
    ],
)
def test_times_are_in_utc(at, text):
    assert represent_value(PartSerializer, {"name": "lid", "made": at}) == {"name": "lid", "made_at": text}


def test_a_missing_value_without_default_is_an_error_and_not_left_out():
    with pytest.raises(KeyError, match="made"):
        represent_value(PartSerializer, {"name": "lid"})


def test_an_error_in_a_method_is_not_taken_for_a_missing_value():
    class Broken(serializers.Serializer):
        broken = serializers.SerializerMethodField()

        def get_broken(self, _: object) -> str:
            raise AttributeError("in the method")

    with pytest.raises(AttributeError, match="in the method"):
        represent_value(Broken, SimpleNamespace())


def test_a_serializer_with_a_representation_of_its_own_keeps_it():
    class Loud(PartSerializer):
        def to_representation(self, instance):
            return {"loud": super().to_representation(instance)["name"].upper()}

    class Holder(serializers.Serializer):
        part = Loud()

    assert represent_value(Loud, _PART) == {"loud": "LID"}
    assert represent_value(Holder, {"part": _PART}) == {"part": {"loud": "LID"}}


def test_objects_of_a_list_are_shown_in_its_order():
    rows = [{"name": name, "made": _AT} for name in ("b", "a")]
    assert [row["name"] for row in represent_all(PartSerializer, rows)] == ["b", "a"]


def test_a_path_is_followed_although_a_member_has_its_name():
    class Owned(serializers.Serializer):
        owner = serializers.CharField(source="owner.name")
        whole = serializers.SerializerMethodField()

        def get_whole(self, value: dict) -> int:
            return len(value)

    value = {"owner": {"name": "Ann"}, "owner.name": "Bob", "*": "star"}
    assert represent_value(Owned, value) == {"owner": "Ann", "whole": 3} == Owned(value).data


def test_a_field_that_finds_its_value_itself_is_asked():
    class Doubled(serializers.IntegerField):
        def get_attribute(self, instance: dict) -> int:
            return 2 * instance["size"]

    class Holder(serializers.Serializer):
        size = Doubled()

    assert represent_value(Holder, {"size": 4}) == {"size": 8} == Holder({"size": 4}).data


def test_a_format_of_its_own_is_used_for_times_in_utc():
    class Dated(serializers.Serializer):
        made = serializers.DateTimeField(format="%d.%m.%Y")

    assert represent_value(Dated, {"made": _AT}) == {"made": "04.03.2026"} == Dated({"made": _AT}).data


def test_a_boolean_is_read_as_the_field_reads_it():
    class Flags(serializers.Serializer):
        one = serializers.BooleanField()
        two = serializers.BooleanField()

    assert represent_value(Flags, {"one": False, "two": "true"}) == {"one": False, "two": True}
