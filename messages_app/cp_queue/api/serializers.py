"""
Answers of the CP queue's calls: the vendor's parameters by the vendor's names, additions in lower case.

Source: docs/contributing/spec/interfaces.md, "CP queue"; docs/contributing/spec/cp_queue.md, "Operations".
"""

from collections.abc import Iterable

from rest_framework import serializers

from messages_app.cp_queue.states import Outcome, Released, State


def choices(values: Iterable[str]) -> list[str]:
    return [str(value) for value in values]


# Named by the API's description; hubconsole/drf.py says how.
STATES = choices(State)


class _AnswerSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also if there was nothing to do.")


class CpCreatedSerializer(_AnswerSerializer):
    created = serializers.IntegerField(
        help_text=(
            "Number of messages created, or with DryRun the number that would be created. The server "
            "assigns their GUIDs."
        )
    )


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


class CpPickedSerializer(serializers.Serializer):
    MessageGUID = serializers.CharField()
    ObjectID = serializers.IntegerField()
    ObjectType = serializers.IntegerField()
    QueueName = serializers.CharField(help_text="The queue of the message.")
    Token = serializers.CharField(required=False, help_text="With WantToken.")


class CpNextManySerializer(_AnswerSerializer):
    messages = CpPickedSerializer(
        many=True,
        help_text="Newest first. Empty if no message is free or other services were faster.",
    )


class CpResultOfBatchSerializer(serializers.Serializer):
    MessageGUID = serializers.CharField(
        allow_blank=True, help_text="As it was sent; empty if it is missing or not a text."
    )
    status = serializers.IntegerField(help_text="200: dispatched; otherwise that of `dispatch/`.")
    code = serializers.CharField(required=False, help_text="The cause of a refusal, as a word for programs.")
    detail = serializers.CharField(required=False, help_text="The cause of a refusal, as a sentence.")


class CpDispatchedManySerializer(_AnswerSerializer):
    results = CpResultOfBatchSerializer(many=True, help_text="In the order of the messages of the call.")


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


class CpReleasedSerializer(_AnswerSerializer):
    released = serializers.IntegerField(
        help_text=("Number of messages released, or with DryRun the number that would be.")
    )


class CpResetOneSerializer(CpReleasedSerializer):
    result = serializers.ChoiceField(choices=choices(Released))


class CpPausedSerializer(_AnswerSerializer):
    changed = serializers.BooleanField(help_text="false: no change was needed.")


class CpDoneSerializer(_AnswerSerializer):
    MessageGUID = serializers.CharField()


class CpDeletedSerializer(CpDoneSerializer):
    deleted = serializers.IntegerField(
        help_text=("Number of messages deleted, or with DryRun the number that would be.")
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


class CpFullTextSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also if there is no text.")
    ObjectID = serializers.IntegerField()
    Text = serializers.CharField(
        allow_blank=True, help_text="The values of XML or JSON, one per line; other text unchanged."
    )
    TooLarge = serializers.BooleanField(help_text="The content is larger than 1 MB and was not read.")
    Metadata = CpObjectInfoSerializer(required=False, help_text="With Index: the answer of object-info.")


class CpRenditionChangedSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success.")
    created = serializers.IntegerField(help_text="Number of messages created in FULLTEXTDOC.")


class CpCountedSerializer(serializers.Serializer):
    MessageGUID = serializers.CharField(source="guid")
    ObjectID = serializers.IntegerField(source="object_id")
    PageCount = serializers.IntegerField(
        source="page_count", allow_null=True, help_text="null: unknown object; the message failed."
    )
    outcome = serializers.ChoiceField(choices=choices(Outcome))


class CpPageCountSerializer(serializers.Serializer):
    return_code = serializers.IntegerField(help_text="0: success, also if there was nothing to do.")
    counted = CpCountedSerializer(many=True, help_text="The processed messages.")
