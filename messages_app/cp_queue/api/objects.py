"""
Calls of a service about the object of a message that it has picked up.

A call that reads an object stores no answer for an Idempotency-Key, because contents are never kept.

Source: docs/contributing/spec/cp_queue.md, "Operations";
docs/contributing/spec/interfaces.md, "Further calls".
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rest_framework import serializers

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.core.api_schema import READING_ONE
from messages_app.core.problems import Problem, not_found
from messages_app.core.representation import represent_value
from messages_app.core.serializers import (
    ConstantField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.cp_queue.api import vendor
from messages_app.cp_queue.objects import FullText, ObjectInfo, object_source
from messages_app.cp_queue.registration import CAN_PULL_CP_MESSAGES
from messages_app.cp_queue.selectors import pickup_forecast
from messages_app.cp_queue.services.create import rendition_changed
from messages_app.cp_queue.services.pickup import MAX_COUNTED, process_page_counts
from messages_app.cp_queue.states import MAX_NAME, PAGE_COUNT_QUEUE, REINDEXED_AFTER, RenditionChange

# A flag of std.GetCPObjectInfo, and the rights that it is asked for, by their letters.
_FULL = 2
RIGHTS = "RWXDU"
# Named by the API's description; hubconsole/drf.py says how.
CHANGES = [str(value) for value in RenditionChange]


class _ObjectSerializer(StrictSerializer):
    ObjectID = vendor.number_field(source="object_id")
    Flags = vendor.no_flags()
    OutputUnicode = vendor.output_unicode()

    validate_Flags = vendor.BodySerializer.validate_Flags  # noqa: N815 (named after its field)


class CpObjectInfoCallSerializer(_ObjectSerializer):
    ObjectType = vendor.number_field("Not compared; the answer has the type of the object.", required=False)
    Flags = vendor.number_field("0 or 2; both return all that is known.", required=False, default=_FULL)
    Rights = StrictCharField(
        source="rights",
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
    ObjectType = vendor.number_field("Not compared.")
    Index = StrictBooleanField(
        source="with_metadata",
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
    ObjectType = vendor.number_field(source="object_type")
    Reason = serializers.ChoiceField(
        source="change",
        choices=CHANGES,
        help_text="TEXT: the object is indexed again. PAGECOUNT, PREVIEW: no action.",
    )
    ServiceName = StrictCharField(
        max_length=MAX_NAME, help_text="For compatibility with the vendor's clients; not compared."
    )


class CpRenditionChangedSerializer(serializers.Serializer):
    return_code = ConstantField(0, help_text="0: success.")
    created = serializers.IntegerField(source="*", help_text="Number of messages created in FULLTEXTDOC.")


class CpPageCountCallSerializer(vendor.BodySerializer):
    Count = StrictIntegerField(
        source="count",
        min_value=1,
        max_value=MAX_COUNTED,
        required=False,
        default=10,
        help_text="Maximum number of messages.",
    )


class CpCountedSerializer(serializers.Serializer):
    MessageGUID = serializers.CharField(source="guid")
    ObjectID = serializers.IntegerField(source="object_id")
    PageCount = serializers.IntegerField(
        source="page_count", allow_null=True, help_text="null: unknown object; the message failed."
    )
    outcome = serializers.ChoiceField(choices=vendor.OUTCOMES)


class CpPageCountSerializer(vendor.AnswerSerializer):
    counted = CpCountedSerializer(source="*", many=True, help_text="The processed messages.")


def queues_of_object(*, object_id: int, reach: frozenset[str]) -> list[str | None]:
    """A token that is confined to some queues sees the objects that have messages in these."""
    return [*pickup_forecast.queues_of_object(object_id, within=reach)] or [None]


def show_object(*, object_id: int, user: Caller, rights: str | None = None) -> Answer:
    info = object_source().object_info(object_id)
    if info is None:
        raise _unknown_object(object_id)
    can_read = user.has_perm(roles.CAN_VIEW_PAYLOAD)
    members = _to_members(info, object_id, can_read=can_read)
    if rights is not None:
        members["Rights"] = "R" if can_read and "R" in rights else ""
    return Answer(200, members)


def may_read_text(user: Caller) -> bool:
    """Whether a user may read contents: a text cannot be masked."""
    return user.has_perm(roles.CAN_VIEW_PAYLOAD)


def show_text(*, object_id: int, with_metadata: bool, actor: Actor) -> Answer:
    text = object_source().full_text(object_id)
    info = object_source().object_info(object_id) if with_metadata else None
    if text is None or (with_metadata and info is None):
        raise _unknown_object(object_id)
    _record_view(actor, object_id, text)
    members = {"return_code": 0, "ObjectID": object_id, "Text": text.text, "TooLarge": text.is_too_large}
    if info is not None:
        members["Metadata"] = _to_members(info, object_id, can_read=True)
    return Answer(200, members)


def _unknown_object(object_id: int) -> Problem:
    return not_found(f"No object has the id {object_id}.")


def _to_members(info: ObjectInfo, object_id: int, *, can_read: bool) -> dict[str, object]:
    """
    Return the facts about an object. Without permission no hash, with which a caller could test guesses of
    the content.
    """
    members: dict[str, object | None] = {
        "return_code": 0,
        "ObjectID": object_id,
        "ObjectType": info.object_type,
        "PageCount": info.page_count,
        "Hash": info.sha256 or None if can_read else None,
        "ExternalReference": info.reference,
        "SystemID": info.system,
        "MimeType": info.mime_type,
        "MimeTypeGroup": info.mime_type.partition("/")[0],
        "HasVolltextFile": info.has_text,
    }
    return {name: value for name, value in members.items() if value is not None}


def _record_view(actor: Actor, object_id: int, text: FullText) -> None:
    # Of a message of the message store, or of the hub.
    stored = {"subject_kind": "store_message", "subject": text.stored_message}
    target: Mapping[str, Any] = {"msg_id": text.msg_id} if text.stored_message is None else stored
    audit.record_entry(actor=actor, action="view_object_text", details={"osid": object_id}, **target)


def change_rendition(*, object_id: int, object_type: int, change: str) -> Answer:
    created = rendition_changed(object_id=object_id, object_type=object_type, change=RenditionChange(change))
    return Answer(201 if created else 200, represent_value(CpRenditionChangedSerializer, created))


def queues_of_change(*, change: str) -> tuple[str, ...]:
    return REINDEXED_AFTER[RenditionChange(change)]


def queue_of_page_counts() -> list[str]:
    return [PAGE_COUNT_QUEUE]


_call = partial(Action, right=CAN_PULL_CP_MESSAGES, errors=vendor.as_problems)

CALLS = [
    _call(
        "object-info/",
        show_object,
        audited_as="view_object_info",
        body=CpObjectInfoCallSerializer,
        answer=CpObjectInfoSerializer,
        problems=READING_ONE,
        affects=queues_of_object,
        keeps_answer=False,
        operation_id="cp_queue_object_info",
        description="std.GetCPObjectInfo: the facts about an object. 404: it is unknown.",
    ),
    _call(
        "object-full-text/",
        show_text,
        name="Full Text",
        may_call=may_read_text,
        audited_as="view_object_text",
        body=CpFullTextCallSerializer,
        answer=CpFullTextSerializer,
        problems=READING_ONE,
        affects=queues_of_object,
        keeps_answer=False,
        operation_id="cp_queue_object_full_text",
        description=(
            "std.GetCPObjectIdxFulltext: an object's text and what is known of it. Needs `view_payload`, and"
            " of a token with scopes `payload:read` as well. The audit has each answer as `view_object_text`."
        ),
    ),
    _call(
        "rendition-changed/",
        change_rendition,
        audited_as="rendition_changed",
        body=CpRenditionChangedCallSerializer,
        answer=CpRenditionChangedSerializer,
        statuses=(201, 200),
        affects=queues_of_change,
        location="cp-queue/objects/{ObjectID}/",
        description=(
            "std.CPRenditionChanged: after a change of its text an object is indexed again, by a message in"
            " FULLTEXTDOC. 200: the change asks for nothing, and nothing was made."
        ),
    ),
    _call(
        "process-page-count/",
        process_page_counts,
        audited_as="process_page_count",
        body=CpPageCountCallSerializer,
        answer=CpPageCountSerializer,
        affects=queue_of_page_counts,
        description=(
            "std.ProcessPageCountCPMessages: the server itself processes free messages of PAGECOUNT, the"
            " newest first. The message of an unknown object fails."
        ),
    ),
]
