"""
Bodies of the CP queue's calls: the vendor's parameters by the vendor's names, `reason` and `DryRun`.

Next to each serializer is the record of the body that it returns.

Source: docs/contributing/spec/interfaces.md, "CP queue"; docs/contributing/spec/cp_queue.md, "Operations".
"""

from datetime import datetime
from typing import NotRequired, TypedDict

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from messages_app.core.serializers import (
    OptionalReasonField,
    ReasonField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.cp_queue.services.dispatch import MAX_IN_BATCH
from messages_app.cp_queue.services.pickup import MAX_PICKED, MAX_QUEUES
from messages_app.cp_queue.states import MAX_GUID, MAX_INT, MAX_NAME, MAX_REASON, RenditionChange

# Longer than any text that the services accept: they say what is wrong with it.
_LONG = 20_000
# Flags of std.GetCPObjectInfo.
_FULL = 2
# Rights that std.GetCPObjectInfo is asked for, by their letters.
RIGHTS = "RWXDU"
# Named by the API's description; hubconsole/drf.py says how.
CHANGES = [str(value) for value in RenditionChange]


def _text_field(
    help_text: str = "", *, required: bool | None = None, default: str | None = None
) -> StrictCharField:
    """Return a field that the services check: nothing is trimmed, and they refuse a blank."""
    return StrictCharField(
        max_length=_LONG,
        allow_blank=True,
        trim_whitespace=False,
        help_text=help_text,
        required=required,
        default=empty if default is None else default,
    )


def _number_field(
    help_text: str = "", *, required: bool | None = None, default: int | None = None
) -> StrictIntegerField:
    return StrictIntegerField(
        min_value=0,
        max_value=MAX_INT,
        help_text=help_text,
        required=required,
        default=empty if default is None else default,
    )


def _flag_field(help_text: str = "") -> StrictBooleanField:
    return StrictBooleanField(required=False, default=False, help_text=help_text)


def _no_flags() -> StrictIntegerField:
    return _number_field("0; for compatibility with the vendor's clients.", required=False, default=0)


def _output_unicode() -> StrictIntegerField:
    return _number_field(
        "For compatibility with the vendor's clients; answers are always Unicode.", required=False
    )


class _CallSerializer(StrictSerializer):
    Flags = _no_flags()
    OutputUnicode = _output_unicode()

    def validate_Flags(self, flags: int) -> int:  # noqa: N802 (named after its field)
        if flags != 0:
            raise serializers.ValidationError("Flags must be 0.", code="invalid_value")
        return flags


class _ActionSerializer(_CallSerializer):
    reason = ReasonField(required=False, default="", allow_blank=True)


class ActionBody(TypedDict):
    reason: str


class MessageBody(TypedDict):
    """Any body that names a message."""

    MessageGUID: str


class ServiceBody(TypedDict):
    """Any body that names a service."""

    ServiceName: str


class OneMessageBody(ActionBody):
    MessageGUID: str


class CpCreateSerializer(_ActionSerializer):
    ObjectID = _number_field()
    ObjectType = _number_field("Main type × 65536 + sub type.")
    CreateFulltextIdxMessages = _flag_field("A message in FULLTEXTIDX.")
    CreateFulltextFilterMessages = _flag_field("A message in FULLTEXTFILTER.")
    CreateRenditionMessages = _flag_field("A message in RENDITION.")
    QueueNames = _text_field(
        "Further queues, separated by commas; the vendor's server fills them automatically.",
        required=False,
        default="",
    )
    DryRun = _flag_field("Only count.")


class CreateBody(ActionBody):
    ObjectID: int
    ObjectType: int
    CreateFulltextIdxMessages: bool
    CreateFulltextFilterMessages: bool
    CreateRenditionMessages: bool
    QueueNames: str
    DryRun: bool


class CpGetNextSerializer(_CallSerializer):
    QueueNames = _text_field("One or several queues, separated by commas; their order does not matter.")
    ServiceName = _text_field("Unique name of the worker.")
    WantToken = _flag_field("Fence the reservation: its dispatch must send the token of the answer.")


class GetNextBody(TypedDict):
    QueueNames: str
    ServiceName: str
    WantToken: bool


class CpGetNextManySerializer(CpGetNextSerializer):
    Count = StrictIntegerField(
        min_value=1, max_value=MAX_PICKED, help_text="Maximum number of messages; there may be fewer."
    )


class GetNextManyBody(GetNextBody):
    Count: int


class CpDispatchSerializer(_CallSerializer):
    MessageGUID = _text_field(f"{MAX_GUID} hexadecimal digits in upper or lower case.")
    Reason = _text_field(f"OK, RETRY (keeps the message) or an error text. At most {MAX_REASON} characters.")
    ServiceName = _text_field()
    Token = _text_field("Token of the pickup, if it requested one.", required=False)


class DispatchBody(MessageBody):
    Reason: str
    ServiceName: str
    Token: NotRequired[str]


class CpResultSerializer(StrictSerializer):
    """A message in a batch of dispatches."""

    MessageGUID = _text_field(f"{MAX_GUID} hexadecimal digits in upper or lower case.")
    Reason = _text_field(f"OK, RETRY (keeps the message) or an error text. At most {MAX_REASON} characters.")
    Token = _text_field("Token of the pickup, if it requested one.", required=False)


@extend_schema_field(CpResultSerializer(many=True))
class _ResultsField(serializers.ListField):
    """Entries that are checked one by one later, because an invalid one must not prevent the others."""


class CpDispatchManySerializer(_CallSerializer):
    ServiceName = _text_field()
    messages = _ResultsField(
        min_length=1, max_length=MAX_IN_BATCH, help_text=f"1 to {MAX_IN_BATCH}; each has its own result."
    )


class DispatchManyBody(TypedDict):
    ServiceName: str
    messages: list[object]


class CpDispatchForServiceSerializer(_ActionSerializer):
    MessageGUID = _text_field()
    Reason = _text_field("The reason that the service would have sent.")
    ServiceName = _text_field("The service that holds the message.")


class DispatchForServiceBody(ActionBody):
    MessageGUID: str
    Reason: str
    ServiceName: str


class CpDispatchAllSerializer(_ActionSerializer):
    Reason = _text_field("The reason that the service would have sent for each message.")
    ServiceName = _text_field("The dead service that holds them.")
    DryRun = _flag_field("Only count.")


class DispatchAllBody(ActionBody):
    Reason: str
    ServiceName: str
    DryRun: bool


class _ResetSerializer(_CallSerializer):
    reason = OptionalReasonField()


class CpResetServiceSerializer(_ResetSerializer):
    ServiceName = _text_field()
    DryRun = _flag_field("Only count.")


class ResetServiceBody(ActionBody):
    ServiceName: str
    DryRun: bool


class CpResetSerializer(_ResetSerializer):
    MessageGUID = _text_field()
    ServiceName = _text_field(
        "The service that holds it; if another service holds it now, nothing is changed.", required=False
    )


class ResetBody(OneMessageBody):
    ServiceName: NotRequired[str]


class CpResetSelectiveSerializer(_ResetSerializer):
    """At least one condition."""

    QueueName = _text_field(required=False)
    ServiceName = _text_field(required=False)
    ObjectID = _number_field(required=False)
    ObjectType = _number_field(required=False)
    CreatedBefore = serializers.DateTimeField(required=False, help_text="With a UTC offset.")
    DryRun = _flag_field("Only count, up to 5000.")

    def validate(self, values: dict[str, object]) -> dict[str, object]:
        for name in ("QueueName", "ServiceName"):
            if values.get(name) == "":
                raise serializers.ValidationError({name: f"{name} must not be empty."}, code="required")
        return values


class ResetSelectiveBody(ActionBody):
    QueueName: NotRequired[str]
    ServiceName: NotRequired[str]
    ObjectID: NotRequired[int]
    ObjectType: NotRequired[int]
    CreatedBefore: NotRequired[datetime]
    DryRun: bool


class CpOneMessageSerializer(_ActionSerializer):
    MessageGUID = _text_field()


class CpDeleteSerializer(CpOneMessageSerializer):
    DryRun = _flag_field("Only count.")


class DeleteBody(OneMessageBody):
    DryRun: bool


class CpOneQueueSerializer(_ActionSerializer):
    QueueName = _text_field()


class OneQueueBody(ActionBody):
    QueueName: str


class _ObjectSerializer(StrictSerializer):
    ObjectID = _number_field()
    Flags = _no_flags()
    OutputUnicode = _output_unicode()

    validate_Flags = _CallSerializer.validate_Flags  # noqa: N815 (named after its field)


class ObjectBody(TypedDict):
    ObjectID: int


class CpObjectInfoCallSerializer(_ObjectSerializer):
    ObjectType = _number_field("Not compared; the answer has the type of the object.", required=False)
    Flags = _number_field("0 or 2; both return all that is known.", required=False, default=_FULL)
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


class ObjectInfoBody(ObjectBody):
    Rights: NotRequired[str]


class CpFullTextCallSerializer(_ObjectSerializer):
    ObjectType = _number_field("Not compared.")
    Index = StrictBooleanField(
        required=False,
        default=True,
        help_text="std.GetCPObjectIdxFulltext, with Metadata; false: std.GetCPObjectFulltext, without.",
    )


class FullTextBody(ObjectBody):
    Index: bool


class CpRenditionChangedCallSerializer(_ObjectSerializer):
    ObjectType = _number_field()
    Reason = serializers.ChoiceField(
        choices=CHANGES,
        help_text="TEXT: the object is indexed again. PAGECOUNT, PREVIEW: no action.",
    )
    ServiceName = StrictCharField(
        max_length=MAX_NAME, help_text="For compatibility with the vendor's clients; not compared."
    )


class RenditionChangedBody(ObjectBody):
    ObjectType: int
    Reason: str


class CpPageCountCallSerializer(_CallSerializer):
    Count = StrictIntegerField(
        min_value=1, max_value=MAX_QUEUES, required=False, default=10, help_text="Maximum number of messages."
    )


class PageCountBody(TypedDict):
    Count: int
