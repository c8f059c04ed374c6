"""
What the calls about objects take and give, by the vendor's names.

Source: docs/spec/cp_queue.md, "Operations".
"""

from rest_framework import serializers

from messages_app.core.serializers import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.cp_queue.services.page_counts import MOST
from messages_app.cp_queue.states import MAX_INT, MAX_NAME, Outcome, RenditionChange

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
    Flags = _number(required=False, default=0, help_text="0; for compatibility with the vendor's clients.")
    OutputUnicode = _number(
        required=False, help_text="For compatibility with the vendor's clients; answers are always Unicode."
    )

    def validate_Flags(self, flags: int) -> int:  # noqa: N802 (named after its field)
        if flags != 0:
            raise serializers.ValidationError("Flags must be 0.", code="invalid_value")
        return flags


class CpObjectInfoCallSerializer(_ObjectSerializer):
    ObjectType = _number(required=False, help_text="Not compared; the answer has the type of the object.")
    Flags = _number(required=False, default=_FULL, help_text="0 or 2; both return all that is known.")
    Rights = StrictCharField(
        required=False,
        max_length=len(RIGHTS),
        help_text=f"Letters of {RIGHTS}; the answer contains the letters that the caller has.",
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
    ObjectType = serializers.IntegerField(required=False, help_text="Absent if unknown.")
    PageCount = serializers.IntegerField(
        help_text=("Pages of the text, each of 60 lines or up to a form feed.")
    )
    Hash = serializers.CharField(
        required=False,
        help_text=(
            "SHA-256 of the content, for callers with permission to read it; absent if it is too large."
        ),
    )
    ExternalReference = serializers.CharField(help_text="Key of the record, or id of the message.")
    SystemID = serializers.CharField(help_text="Entity of the record, or source system of the message.")
    MimeType = serializers.CharField()
    MimeTypeGroup = serializers.CharField()
    HasVolltextFile = serializers.BooleanField(help_text="Whether it has text.")
    Rights = serializers.CharField(required=False, allow_blank=True, help_text="If requested.")


class CpFullTextCallSerializer(_ObjectSerializer):
    ObjectType = _number(help_text="Not compared.")
    Index = StrictBooleanField(
        required=False,
        default=True,
        help_text="std.GetCPObjectIdxFulltext, with Metadata; false: std.GetCPObjectFulltext, without.",
    )


class CpFullTextSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also if there is no text.")
    ObjectID = serializers.IntegerField()
    Text = serializers.CharField(
        allow_blank=True, help_text="The values of XML or JSON, one per line; other text unchanged."
    )
    TooLarge = serializers.BooleanField(help_text="The content is larger than 1 MB and was not read.")
    Metadata = CpObjectInfoSerializer(required=False, help_text="With Index: the answer of object-info.")


class CpRenditionChangedCallSerializer(_ObjectSerializer):
    ObjectType = _number()
    Reason = serializers.ChoiceField(
        choices=CHANGES,
        help_text="TEXT: the object is indexed again. PAGECOUNT, PREVIEW: no action.",
    )
    ServiceName = StrictCharField(
        max_length=MAX_NAME, help_text="For compatibility with the vendor's clients; not compared."
    )


class CpRenditionChangedSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success.")
    created = serializers.IntegerField(help_text="Number of messages created in FULLTEXTDOC.")


class CpPageCountCallSerializer(StrictSerializer):
    Flags = _number(required=False, default=0, help_text="0; for compatibility with the vendor's clients.")
    Count = StrictIntegerField(
        min_value=1, max_value=MOST, required=False, default=10, help_text="Maximum number of messages."
    )

    validate_Flags = _ObjectSerializer.validate_Flags  # noqa: N815 (named after its field)


class CpCountedSerializer(serializers.Serializer):
    MessageGUID = serializers.CharField(source="guid")
    ObjectID = serializers.IntegerField(source="object_id")
    PageCount = serializers.IntegerField(
        source="page_count", allow_null=True, help_text="null: unknown object; the message failed."
    )
    outcome = serializers.ChoiceField(choices=[str(value) for value in Outcome])


class CpPageCountSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also if there was nothing to do.")
    counted = CpCountedSerializer(many=True, help_text="The processed messages.")
