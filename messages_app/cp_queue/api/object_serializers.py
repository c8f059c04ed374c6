"""What the calls about objects take and give, by the vendor's names. Source: spec/other-systems.md 3.3."""

from rest_framework import serializers

from messages_app.cp_queue.changing.counting_pages import MOST
from messages_app.cp_queue.states import MAX_INT, MAX_NAME, Outcome, RenditionChange
from messages_app.web.serializers import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)

# Flags of std.GetCPObjectInfo.
_FULL = 2
# Rights that std.GetCPObjectInfo is asked for, by their letters.
RIGHTS = "RWXDU"
# Named by the API's description; rest.py says how.
CHANGES = [str(value) for value in RenditionChange]


def _number(**options: object) -> StrictIntegerField:
    return StrictIntegerField(min_value=0, max_value=MAX_INT, **options)


class _ObjectSerializer(StrictSerializer):
    ObjectID = _number()
    Flags = _number(required=False, default=0, help_text="0; kept for the vendor's callers.")
    OutputUnicode = _number(
        required=False, help_text="Kept for the vendor's callers: answers are Unicode always."
    )

    def validate_Flags(self, flags: int) -> int:  # noqa: N802 (named after its field)
        if flags != 0:
            raise serializers.ValidationError("Flags must be 0.", code="invalid_value")
        return flags


class CpObjectInfoCallSerializer(_ObjectSerializer):
    ObjectType = _number(required=False, help_text="Not compared; the answer has the object's own.")
    Flags = _number(required=False, default=_FULL, help_text="0 or 2, both for all that is known.")
    Rights = StrictCharField(
        required=False,
        max_length=len(RIGHTS),
        help_text=f"Some letters of {RIGHTS}: the answer has those that the caller has.",
    )

    def validate_Flags(self, flags: int) -> int:  # noqa: N802 (named after its field)
        if flags not in {0, _FULL}:
            raise serializers.ValidationError("Flags must be 0 or 2.", code="invalid_value")
        return flags

    def validate_Rights(self, rights: str) -> str:  # noqa: N802 (named after its field)
        if not set(rights) <= set(RIGHTS):
            raise serializers.ValidationError(f"Rights must be letters of {RIGHTS}.", code="invalid_value")
        return rights


class CpObjectInfoSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success.")
    ObjectID = serializers.IntegerField()
    ObjectType = serializers.IntegerField(required=False, help_text="Absent: nobody knows.")
    PageCount = serializers.IntegerField(help_text="Pages of the text: of 60 lines, or up to a form feed.")
    Hash = serializers.CharField(
        required=False, help_text="SHA-256 of the content, to who may read it; absent where it is too large."
    )
    ExternalReference = serializers.CharField(help_text="The record's key, or the message's id.")
    SystemID = serializers.CharField(help_text="The record's entity, or the message's source system.")
    MimeType = serializers.CharField()
    MimeTypeGroup = serializers.CharField()
    HasVolltextFile = serializers.BooleanField(help_text="Whether it has a text.")
    Rights = serializers.CharField(required=False, allow_blank=True, help_text="If asked for.")


class CpFullTextCallSerializer(_ObjectSerializer):
    ObjectType = _number(help_text="Not compared.")
    Index = StrictBooleanField(
        required=False,
        default=True,
        help_text="std.GetCPObjectIdxFulltext, with Metadata; false: std.GetCPObjectFulltext, without.",
    )


class CpFullTextSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also where there is no text.")
    ObjectID = serializers.IntegerField()
    Text = serializers.CharField(
        allow_blank=True, help_text="The values of XML or JSON, one a line; other text as it is."
    )
    TooLarge = serializers.BooleanField(help_text="The content is larger than 1 MB, and was not read.")
    Metadata = CpObjectInfoSerializer(required=False, help_text="If Index: what object-info gives.")


class CpRenditionChangedCallSerializer(_ObjectSerializer):
    ObjectType = _number()
    Reason = serializers.ChoiceField(
        choices=CHANGES,
        help_text="TEXT: the object is indexed again. PAGECOUNT, PREVIEW: nothing is to be done.",
    )
    ServiceName = StrictCharField(
        max_length=MAX_NAME, help_text="Kept for the vendor's callers; nobody compares it."
    )


class CpRenditionChangedSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success.")
    created = serializers.IntegerField(help_text="How many messages were made in FULLTEXTDOC.")


class CpPageCountCallSerializer(StrictSerializer):
    Flags = _number(required=False, default=0, help_text="0; kept for the vendor's callers.")
    Count = StrictIntegerField(
        min_value=1, max_value=MOST, required=False, default=10, help_text="How many messages at most."
    )

    validate_Flags = _ObjectSerializer.validate_Flags  # noqa: N815 (named after its field)


class CpCountedSerializer(serializers.Serializer):
    MessageGUID = serializers.CharField(source="guid")
    ObjectID = serializers.IntegerField(source="object_id")
    PageCount = serializers.IntegerField(
        source="page_count", allow_null=True, help_text="null: nobody knows the object; the message failed."
    )
    outcome = serializers.ChoiceField(choices=[str(value) for value in Outcome])


class CpPageCountSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also where nothing was to be done.")
    counted = CpCountedSerializer(many=True, help_text="The messages that were worked off.")
