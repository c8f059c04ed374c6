"""
What the API says of the CP queue, and what it takes: the vendor's parameters by the vendor's names.

What the console adds is in small letters in answers.

Source: docs/spec/interfaces.md, "CP queue"; docs/spec/cp_queue.md, "Operations".
"""

from rest_framework import serializers

from messages_app.core.pages import MAX_REASON as MAX_WHY
from messages_app.core.serializers import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.cp_queue.states import MAX_GUID, MAX_INT, MAX_REASON, Outcome, Released, State

# Texts longer than any that the services take, which name what is wrong with them.
_LONG = 20_000


def choices(values: type) -> list[str]:
    return [str(value) for value in values]


# Named by the API's description; hubconsole/settings/web.py says how.
STATES = choices(State)


def _text(help_text: str = "", **options: object) -> StrictCharField:
    """Return a field that the services check: nothing is trimmed, and a blank is theirs to refuse."""
    return StrictCharField(
        max_length=_LONG, allow_blank=True, trim_whitespace=False, help_text=help_text, **options
    )


def _number(help_text: str = "", **options: object) -> StrictIntegerField:
    return StrictIntegerField(min_value=0, max_value=MAX_INT, help_text=help_text, **options)


def _flag(help_text: str = "") -> StrictBooleanField:
    return StrictBooleanField(required=False, default=False, help_text=help_text)


class _CallSerializer(StrictSerializer):
    Flags = _number("0; for compatibility with the vendor's clients.", required=False, default=0)

    def validate_Flags(self, flags: int) -> int:  # noqa: N802 (named after its field)
        if flags != 0:
            raise serializers.ValidationError("Flags must be 0.", code="invalid_value")
        return flags


class _ActionSerializer(_CallSerializer):
    reason = StrictCharField(
        max_length=MAX_WHY,
        required=False,
        default="",
        allow_blank=True,
        help_text="Reason; recorded in the audit log.",
    )


class _AnswerSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also if there was nothing to do.")


class CpCreateSerializer(_ActionSerializer):
    ObjectID = _number()
    ObjectType = _number("Main type × 65536 + sub type.")
    CreateFulltextIdxMessages = _flag("A message in FULLTEXTIDX.")
    CreateFulltextFilterMessages = _flag("A message in FULLTEXTFILTER.")
    CreateRenditionMessages = _flag("A message in RENDITION.")
    QueueNames = _text(
        "Further queues, separated by commas; the vendor's server fills them automatically.",
        required=False,
        default="",
    )
    DryRun = _flag("Only count.")


class CpCreatedSerializer(_AnswerSerializer):
    created = serializers.IntegerField(
        help_text=(
            "Number of messages created, or with DryRun the number that would be created. The server "
            "assigns their GUIDs."
        )
    )


class CpGetNextSerializer(_CallSerializer):
    QueueNames = _text("One or several queues, separated by commas; their order does not matter.")
    ServiceName = _text("Unique name of the worker.")
    WantToken = _flag("Fence the reservation: its dispatch must send the token of the answer.")


class CpNextSerializer(_AnswerSerializer):
    MessageGUID = serializers.CharField(
        allow_blank=True,
        help_text=(
            "Empty if no message is free or another service was faster; other fields are then absent."
        ),
    )
    ObjectID = serializers.IntegerField(required=False)
    ObjectType = serializers.IntegerField(required=False)
    QueueName = serializers.CharField(required=False, help_text="The queue of the message.")
    Token = serializers.CharField(required=False, help_text="With WantToken.")


class CpDispatchSerializer(_CallSerializer):
    MessageGUID = _text(f"{MAX_GUID} hexadecimal digits in upper or lower case.")
    Reason = _text(f"OK, RETRY (keeps the message) or an error text. At most {MAX_REASON} characters.")
    ServiceName = _text()
    Token = _text("Token of the pickup, if it requested one.", required=False)


class CpDispatchForServiceSerializer(_ActionSerializer):
    MessageGUID = _text()
    Reason = _text("The reason that the service would have sent.")
    ServiceName = _text("The service that holds the message.")


class CpDispatchAllSerializer(_ActionSerializer):
    Reason = _text("The reason that the service would have sent for each message.")
    ServiceName = _text("The dead service that holds them.")
    DryRun = _flag("Only count.")


class CpDispatchedAllSerializer(_AnswerSerializer):
    dispatched = serializers.IntegerField(
        help_text=(
            "Number of messages dispatched, or with DryRun the number that would be; at most a thousand "
            "per call."
        )
    )
    outcomes = serializers.DictField(
        child=serializers.IntegerField(), help_text=("Number of messages by outcome.")
    )


class CpDispatchedSerializer(_AnswerSerializer):
    outcome = serializers.ChoiceField(choices=choices(Outcome))
    attempts = serializers.IntegerField(help_text="Dispatches with RETRY, this one included.")
    not_before = serializers.DateTimeField(
        allow_null=True, help_text="When it becomes available again; null: removed or parked."
    )


class CpResetServiceSerializer(_ActionSerializer):
    ServiceName = _text()
    DryRun = _flag("Only count.")


class CpResetSerializer(_ActionSerializer):
    MessageGUID = _text()
    ServiceName = _text(
        "The service that holds it; if another service holds it now, nothing is changed.", required=False
    )


class CpResetSelectiveSerializer(_ActionSerializer):
    """At least one condition."""

    QueueName = _text(required=False)
    ServiceName = _text(required=False)
    ObjectID = _number(required=False)
    ObjectType = _number(required=False)
    CreatedBefore = serializers.DateTimeField(required=False, help_text="With a UTC offset.")
    DryRun = _flag("Only count, up to 5000.")

    def validate(self, values: dict[str, object]) -> dict[str, object]:
        for name in ("QueueName", "ServiceName"):
            if values.get(name) == "":
                raise serializers.ValidationError({name: f"{name} must not be empty."}, code="required")
        return values


class CpReleasedSerializer(_AnswerSerializer):
    released = serializers.IntegerField(
        help_text=("Number of messages released, or with DryRun the number that would be.")
    )


class CpResetOneSerializer(CpReleasedSerializer):
    result = serializers.ChoiceField(choices=choices(Released))


class CpOneMessageSerializer(_ActionSerializer):
    MessageGUID = _text()


class CpDeleteSerializer(CpOneMessageSerializer):
    DryRun = _flag("Only count.")


class CpOneQueueSerializer(_ActionSerializer):
    QueueName = _text()


class CpPausedSerializer(_AnswerSerializer):
    changed = serializers.BooleanField(help_text="false: no change was needed.")


class CpDoneSerializer(_AnswerSerializer):
    MessageGUID = serializers.CharField()


class CpDeletedSerializer(CpDoneSerializer):
    deleted = serializers.IntegerField(
        help_text=("Number of messages released, or with DryRun the number that would be.")
    )


class CpMessageSerializer(serializers.Serializer):
    """The vendor's columns but checkguid, and what the side tables add."""

    messageguid = serializers.CharField()
    queuename = serializers.CharField()
    osid = serializers.IntegerField()
    ostype = serializers.IntegerField()
    created = serializers.DateTimeField()
    lock_service = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(choices=STATES)
    not_before = serializers.DateTimeField(allow_null=True)
    attempts = serializers.IntegerField()
    reserved_at = serializers.DateTimeField(allow_null=True, help_text="null: free or unknown.")


class CpObjectMessageSerializer(serializers.Serializer):
    messageguid = serializers.CharField(source="guid")
    queuename = serializers.CharField(source="queue")
    ostype = serializers.IntegerField(source="object_type")
    created = serializers.DateTimeField()
    lock_service = serializers.CharField(source="service", allow_null=True)
    state = serializers.ChoiceField(choices=STATES)
    not_before = serializers.DateTimeField(allow_null=True)
    attempts = serializers.IntegerField()
    reserved_at = serializers.DateTimeField(allow_null=True)
    collapsible = serializers.BooleanField(
        source="is_collapsible", help_text="Deleted by the next pickup of its object and queue."
    )
    overlaps = serializers.BooleanField(help_text="A service holds another message of its object and queue.")


class CpObjectSerializer(serializers.Serializer):
    osid = serializers.IntegerField()
    messages = CpObjectMessageSerializer(many=True)


class CpPreviewSerializer(_AnswerSerializer):
    MessageGUID = serializers.CharField(allow_blank=True)
    ObjectID = serializers.IntegerField(required=False)
    ObjectType = serializers.IntegerField(required=False)
    QueueName = serializers.CharField(required=False)
    collapsed = serializers.IntegerField(required=False, help_text="Messages that the pickup would delete.")
    held_by = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Services working on the same object."
    )


class CpQueueCountsSerializer(serializers.Serializer):
    name = serializers.CharField()
    known = serializers.BooleanField(source="is_known")
    total = serializers.IntegerField()
    free = serializers.IntegerField()
    reserved = serializers.IntegerField()
    deferred = serializers.IntegerField(help_text="Free messages that are not due yet after a retry.")
    parked = serializers.IntegerField(help_text="Free messages after their last attempt.")
    objects = serializers.IntegerField(help_text="Distinct objects of the free messages.")
    surplus = serializers.IntegerField(help_text="Free messages that pickups will coalesce.")
    oldest_created = serializers.DateTimeField(allow_null=True)
    newest_created = serializers.DateTimeField(allow_null=True)
    oldest_age = serializers.FloatField(allow_null=True, help_text="Seconds.")
    from_future = serializers.BooleanField(source="is_from_future")
    per_minute = serializers.FloatField(help_text="Dispatches in the last 5 min.")
    retried = serializers.IntegerField()
    failed = serializers.IntegerField()
    lost = serializers.IntegerField(help_text="Pickups lost to another service in the last hour.")
    exact = serializers.BooleanField(source="is_exact", help_text="false: the counts are lower bounds.")
    paused_at = serializers.DateTimeField(allow_null=True, help_text="When the queue was paused.")


class CpServiceSerializer(serializers.Serializer):
    service = serializers.CharField()
    first_poll = serializers.DateTimeField(allow_null=True)
    last_poll = serializers.DateTimeField(allow_null=True)
    queues = serializers.CharField(help_text="Queues of its last poll.")
    reserved = serializers.IntegerField(help_text="Up to 250.")
    since_unknown = serializers.IntegerField(help_text="Of these, reserved outside the console.")
    longest_since = serializers.DateTimeField(allow_null=True)
    longest_seconds = serializers.FloatField(allow_null=True)
    probably_dead = serializers.BooleanField(source="is_probably_dead")
    lost = serializers.IntegerField()


class CpStatisticsSerializer(_AnswerSerializer):
    queues = CpQueueCountsSerializer(many=True)
    services = CpServiceSerializer(many=True)


class CpDispatchLogSerializer(serializers.Serializer):
    dispatch_id = serializers.IntegerField()
    at = serializers.DateTimeField()
    messageguid = serializers.CharField()
    queuename = serializers.CharField()
    osid = serializers.IntegerField()
    ostype = serializers.IntegerField()
    created = serializers.DateTimeField()
    service = serializers.CharField()
    reason = serializers.CharField()
    outcome = serializers.ChoiceField(choices=choices(Outcome))
    reserved_at = serializers.DateTimeField(allow_null=True)
    collapsed = serializers.IntegerField()
    attempts = serializers.IntegerField()
    actor = serializers.CharField(help_text="The user who dispatched for a dead service; else empty.")
