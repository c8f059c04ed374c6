"""
What the API says of the CP queue, and what it takes: the vendor's parameters by the vendor's names.

What the console adds is in small letters in answers. Source: spec/interfaces.md 7; spec/other-systems.md 3.3.
"""

from rest_framework import serializers

from messages_app.cp_queue.states import MAX_GUID, MAX_INT, MAX_REASON, Outcome, Released, State
from messages_app.web.reasons import MAX_REASON as MAX_WHY
from messages_app.web.serializers import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)

# Texts longer than any that the services take, which name what is wrong with them.
_LONG = 20_000


def choices(values: type) -> list[str]:
    return [str(value) for value in values]


# Named by the API's description; settings.py says how.
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
    Flags = _number("0; kept for the vendor's callers.", required=False, default=0)

    def validate_Flags(self, flags: int) -> int:  # noqa: N802 (named after its field)
        if flags != 0:
            raise serializers.ValidationError("Flags must be 0.", code="invalid_value")
        return flags


class _ActionSerializer(_CallSerializer):
    reason = StrictCharField(
        max_length=MAX_WHY, required=False, default="", allow_blank=True, help_text="Why; the audit keeps it."
    )


class _AnswerSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also where there was nothing to do.")


class CpCreateSerializer(_ActionSerializer):
    ObjectID = _number()
    ObjectType = _number("Main type times 65536, and the sub type.")
    CreateFulltextIdxMessages = _flag("A message in FULLTEXTIDX.")
    CreateFulltextFilterMessages = _flag("A message in FULLTEXTFILTER.")
    CreateRenditionMessages = _flag("A message in RENDITION.")
    QueueNames = _text(
        "Further queues, with commas: the vendor's server fills them by itself.", required=False, default=""
    )
    DryRun = _flag("Only count.")


class CpCreatedSerializer(_AnswerSerializer):
    created = serializers.IntegerField(
        help_text="How many messages, with DryRun how many there would be; their GUIDs are the server's."
    )


class CpGetNextSerializer(_CallSerializer):
    QueueNames = _text("One queue or several, with commas; their order has no weight.")
    ServiceName = _text("The worker's own name, unlike any other's.")
    WantToken = _flag("Fence the reservation: its dispatch must bring the token of the answer.")


class CpNextSerializer(_AnswerSerializer):
    MessageGUID = serializers.CharField(
        allow_blank=True, help_text="Empty: nothing is free, or another was faster; no other field is there."
    )
    ObjectID = serializers.IntegerField(required=False)
    ObjectType = serializers.IntegerField(required=False)
    QueueName = serializers.CharField(required=False, help_text="The queue that it came from.")
    Token = serializers.CharField(required=False, help_text="If WantToken.")


class CpDispatchSerializer(_CallSerializer):
    MessageGUID = _text(f"{MAX_GUID} hexadecimal digits in upper or lower case.")
    Reason = _text(f"OK; RETRY keeps the message; or what went wrong. At most {MAX_REASON} characters.")
    ServiceName = _text()
    Token = _text("Of the pickup, if it asked for one.", required=False)


class CpDispatchForServiceSerializer(_ActionSerializer):
    MessageGUID = _text()
    Reason = _text("As the service would have said it.")
    ServiceName = _text("Who holds the message.")


class CpDispatchAllSerializer(_ActionSerializer):
    Reason = _text("As the service would have said it, of each message.")
    ServiceName = _text("Who is dead, and holds them.")
    DryRun = _flag("Only count.")


class CpDispatchedAllSerializer(_AnswerSerializer):
    dispatched = serializers.IntegerField(
        help_text="How many messages, with DryRun how many there would be; a thousand in one call."
    )
    outcomes = serializers.DictField(child=serializers.IntegerField(), help_text="How many of each outcome.")


class CpDispatchedSerializer(_AnswerSerializer):
    outcome = serializers.ChoiceField(choices=choices(Outcome))
    attempts = serializers.IntegerField(help_text="Dispatches with RETRY, this one included.")
    not_before = serializers.DateTimeField(
        allow_null=True, help_text="When it is handed out again; null: removed or parked."
    )


class CpResetServiceSerializer(_ActionSerializer):
    ServiceName = _text()
    DryRun = _flag("Only count.")


class CpResetSerializer(_ActionSerializer):
    MessageGUID = _text()
    ServiceName = _text("Who holds it; if another does by now, nothing is done.", required=False)


class CpResetSelectiveSerializer(_ActionSerializer):
    """At least one condition."""

    QueueName = _text(required=False)
    ServiceName = _text(required=False)
    ObjectID = _number(required=False)
    ObjectType = _number(required=False)
    CreatedBefore = serializers.DateTimeField(required=False, help_text="With its offset.")
    DryRun = _flag("Only count, up to 5000.")

    def validate(self, values: dict[str, object]) -> dict[str, object]:
        for name in ("QueueName", "ServiceName"):
            if values.get(name) == "":
                raise serializers.ValidationError({name: f"{name} must not be empty."}, code="required")
        return values


class CpReleasedSerializer(_AnswerSerializer):
    released = serializers.IntegerField(help_text="How many messages; with DryRun, how many would be.")


class CpResetOneSerializer(CpReleasedSerializer):
    result = serializers.ChoiceField(choices=choices(Released))


class CpOneMessageSerializer(_ActionSerializer):
    MessageGUID = _text()


class CpDeleteSerializer(CpOneMessageSerializer):
    DryRun = _flag("Only count.")


class CpOneQueueSerializer(_ActionSerializer):
    QueueName = _text()


class CpPausedSerializer(_AnswerSerializer):
    changed = serializers.BooleanField(help_text="false: it was so before.")


class CpDoneSerializer(_AnswerSerializer):
    MessageGUID = serializers.CharField()


class CpDeletedSerializer(CpDoneSerializer):
    deleted = serializers.IntegerField(help_text="How many messages; with DryRun, how many would be.")


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
    reserved_at = serializers.DateTimeField(allow_null=True, help_text="null: free, or nobody knows.")


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
        source="is_collapsible", help_text="The next pickup of its object and queue deletes it."
    )
    overlaps = serializers.BooleanField(help_text="A service holds another of its object and queue.")


class CpObjectSerializer(serializers.Serializer):
    osid = serializers.IntegerField()
    messages = CpObjectMessageSerializer(many=True)


class CpPreviewSerializer(_AnswerSerializer):
    MessageGUID = serializers.CharField(allow_blank=True)
    ObjectID = serializers.IntegerField(required=False)
    ObjectType = serializers.IntegerField(required=False)
    QueueName = serializers.CharField(required=False)
    collapsed = serializers.IntegerField(required=False, help_text="Messages that it would delete.")
    held_by = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Services at work on the same object."
    )


class CpQueueCountsSerializer(serializers.Serializer):
    name = serializers.CharField()
    known = serializers.BooleanField(source="is_known")
    total = serializers.IntegerField()
    free = serializers.IntegerField()
    reserved = serializers.IntegerField()
    deferred = serializers.IntegerField(help_text="Of the free ones: not due yet after a retry.")
    parked = serializers.IntegerField(help_text="Of the free ones: after the last attempt.")
    objects = serializers.IntegerField(help_text="Distinct ones of the free messages.")
    surplus = serializers.IntegerField(help_text="Free messages that pickups will collapse.")
    oldest_created = serializers.DateTimeField(allow_null=True)
    newest_created = serializers.DateTimeField(allow_null=True)
    oldest_age = serializers.FloatField(allow_null=True, help_text="Seconds.")
    from_future = serializers.BooleanField(source="is_from_future")
    per_minute = serializers.FloatField(help_text="Dispatches, of the last five minutes.")
    retried = serializers.IntegerField()
    failed = serializers.IntegerField()
    lost = serializers.IntegerField(help_text="Pickups lost to another service within the hour.")
    exact = serializers.BooleanField(source="is_exact", help_text="false: there are at least so many.")
    paused_at = serializers.DateTimeField(allow_null=True, help_text="Since when it gives out nothing.")


class CpServiceSerializer(serializers.Serializer):
    service = serializers.CharField()
    first_poll = serializers.DateTimeField(allow_null=True)
    last_poll = serializers.DateTimeField(allow_null=True)
    queues = serializers.CharField(help_text="As it asked last.")
    reserved = serializers.IntegerField(help_text="Up to 250.")
    since_unknown = serializers.IntegerField(help_text="Of them, reserved outside the console.")
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
    actor = serializers.CharField(help_text="Who dispatched for a dead service; else empty.")
