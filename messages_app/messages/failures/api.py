"""
Failure groups and the catalogue of error codes over REST.

Source: docs/contributing/spec/interfaces.md, "Messages".
"""

from collections.abc import Iterable, Mapping
from functools import partial

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import whole_list
from messages_app.access.calls import Action
from messages_app.access.reads import Read
from messages_app.core.api_schema import CodeField, page_of
from messages_app.core.etags import Tag
from messages_app.core.parameters import read_address_id, read_addressed_row
from messages_app.core.problems import Problem, not_found, problems_for
from messages_app.core.reason_form import MAX_REASON
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import ReasonField, RowSerializer, StrictCharField, StrictSerializer
from messages_app.messages.failures import selectors, services
from messages_app.messages.failures.listing import failing_groups
from messages_app.messages.failures.models import (
    MAX_NOTE,
    MAX_OWNER,
    MAX_TICKET,
    SETTABLE_STATES,
    ErrorCode,
    FailureGroup,
    GroupState,
)
from messages_app.messages.failures.selectors import CHECKED_MESSAGES, outcomes_of_groups
from messages_app.messages.metrics.api import failing_field
from messages_app.messages.metrics.failing import FENCE, failing_now

_NOUN = "group of failures"


class ErrorCodeSerializer(RowSerializer):
    class Meta:
        model = ErrorCode
        fields = ("code", "description", "action", "is_own")


class LastingGroupSerializer(RowSerializer):
    state = CodeField("FailureGroupState", GroupState, read_only=True)

    class Meta:
        model = FailureGroup
        fields: tuple[str, ...] = (
            "group_id",
            "service_name",
            "operation_name",
            "failed_error_code",
            "title",
            "summary",
            "example",
            "failures",
            "first_seen",
            "last_seen",
            "state",
            "state_at",
            "snoozed_until",
            "owner",
            "ticket",
            "note",
        )


class WindowsSerializer(serializers.Serializer):
    hour = serializers.IntegerField()
    hours_3 = serializers.IntegerField()
    day = serializers.IntegerField()
    days_7 = serializers.IntegerField()


FAILING_IN_GROUP = (
    "Number of its live messages that are FAILED at this moment, whatever their age. An upper bound, by "
    f"service, operation and code, while more than {FENCE} messages are failing."
)


class GroupLineSerializer(serializers.Serializer):
    group = LastingGroupSerializer()
    windows = WindowsSerializer(help_text="Failures in the last 1 h, 3 h, 24 h and 7 days.")
    failing_now = serializers.IntegerField(help_text=FAILING_IN_GROUP)
    is_quiet = serializers.BooleanField(
        help_text="true: nothing new failed in the last 24 h, however many of its messages are failing.",
    )
    known = ErrorCodeSerializer(
        source="error_code", allow_null=True, help_text="Catalogue entry of its error code."
    )


class GroupListSerializer(serializers.Serializer):
    """The groups, with the number of all failing messages: those of the groups and those in no group."""

    next = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    previous = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    results = GroupLineSerializer(many=True)
    failing_now = failing_field()
    ungrouped = serializers.IntegerField(
        allow_null=True,
        help_text=(
            f"Failing messages in no group, or not yet; null while more than {FENCE} messages are failing."
        ),
    )
    quiet = serializers.IntegerField(help_text="Number of these groups that are quiet.")
    as_of = serializers.DateTimeField(
        allow_null=True,
        help_text="Time of these numbers on an attached hub that is polled; null: at this moment.",
    )


class AffectedSerializer(serializers.Serializer):
    entity_type = serializers.CharField(allow_blank=True)
    object_id = serializers.CharField()
    messages = serializers.IntegerField()
    failed = serializers.IntegerField(help_text="Number of these messages that are FAILED.")
    msg_id = serializers.IntegerField(help_text="The newest message.")


class GroupOutcomeSerializer(serializers.Serializer):
    """Counts of the newest messages of a group by their current state."""

    failed = serializers.IntegerField()
    ok = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    in_progress = serializers.IntegerField()
    gone = serializers.IntegerField(help_text="Archived or removed by the hub.")
    is_repaired = serializers.BooleanField(
        help_text=(
            "true if no message is FAILED or in progress; always false for groups of "
            f"{CHECKED_MESSAGES} messages or more."
        )
    )


class GroupDetailSerializer(LastingGroupSerializer):
    known = serializers.SerializerMethodField(help_text="Catalogue entry of its error code.")
    msg_ids = serializers.SerializerMethodField(help_text="Its newest messages.")
    affected = serializers.SerializerMethodField(
        help_text=f"Objects of its newest {CHECKED_MESSAGES} messages."
    )
    failing_now = serializers.SerializerMethodField(help_text=FAILING_IN_GROUP)
    outcome = serializers.SerializerMethodField(
        help_text=f"Current states of its newest {CHECKED_MESSAGES} messages."
    )

    class Meta(LastingGroupSerializer.Meta):
        fields = (
            *LastingGroupSerializer.Meta.fields,
            "known",
            "msg_ids",
            "affected",
            "failing_now",
            "outcome",
        )

    def get_known(self, group: FailureGroup) -> dict | None:
        """Return the catalogue entry of its error code; null without an entry."""
        entry = ErrorCode.objects.filter(pk=group.failed_error_code).first()
        return None if entry is None else represent_value(ErrorCodeSerializer, entry)

    def get_msg_ids(self, group: FailureGroup) -> list[int]:
        """Return the ids of its newest messages."""
        return selectors.newest_messages(group.pk)

    @extend_schema_field(AffectedSerializer(many=True))
    def get_affected(self, group: FailureGroup) -> Iterable[object]:
        """Return the objects of its newest messages, most FAILED messages first."""
        return represent_all(AffectedSerializer, selectors.affected_objects(group.pk))

    def get_failing_now(self, group: FailureGroup) -> int:
        """Return the number of its messages that are failing now."""
        return failing_now().of_group(group)

    @extend_schema_field(GroupOutcomeSerializer)
    def get_outcome(self, group: FailureGroup) -> Mapping[str, object]:
        """Return the counts of its newest messages by their current state."""
        return represent_value(GroupOutcomeSerializer, outcomes_of_groups([group.pk])[group.pk])


class MarkSerializer(StrictSerializer):
    state = StrictCharField(max_length=10, help_text=f"One of {', '.join(sorted(SETTABLE_STATES))}.")
    snoozed_until = serializers.DateTimeField(required=False, help_text="Only with snoozed.")
    expected_state = StrictCharField(
        max_length=10, required=False, help_text="Act only if the group is in this state, else 412."
    )
    reason = ReasonField()


class DescribeSerializer(StrictSerializer):
    owner = StrictCharField(max_length=MAX_OWNER, allow_blank=True, required=False)
    ticket = StrictCharField(max_length=MAX_TICKET, allow_blank=True, required=False)
    note = StrictCharField(max_length=MAX_NOTE, allow_blank=True, required=False)
    reason = StrictCharField(max_length=MAX_REASON, allow_blank=True, default="")


def _group_id(text: str) -> int:
    return read_address_id(text, noun=_NOUN)


def _state_conflict(error: services.GroupConflict) -> Problem:
    return Problem(409, "state_conflict", str(error), extra={"current_state": error.current_state})


def _precondition_failed(error: services.ExpectedStateNotMet) -> Problem:
    return Problem(412, "precondition_failed", str(error), extra={"current_state": error.current_state})


_as_problems = problems_for(
    {
        services.GroupNotFound: lambda error: not_found(str(error)),
        services.ExpectedStateNotMet: _precondition_failed,
        services.GroupConflict: _state_conflict,
    }
)


def list_groups() -> Mapping[str, object]:
    failing = failing_now()
    lines = failing_groups(failing)
    return {
        "next": None,
        "previous": None,
        "results": lines,
        "failing_now": failing.count,
        "ungrouped": failing.ungrouped if failing.is_by_group else None,
        "quiet": sum(line.is_quiet for line in lines),
        "as_of": failing.as_of,
    }


def list_error_codes() -> Response:
    return whole_list(represent_all(ErrorCodeSerializer, ErrorCode.objects.order_by("code")))


# These members change when more messages fail, without an action of a caller.
_MOVING = frozenset(
    {
        "failures",
        "failing_now",
        "first_seen",
        "last_seen",
        "summary",
        "example",
        "known",
        "msg_ids",
        "affected",
        "outcome",
    }
)


def read_group(*, group_id: int) -> FailureGroup:
    return _get_group(FailureGroup.objects.all(), group_id)


def _lock_group(*, group_id: int) -> Mapping[str, object]:
    group = _get_group(FailureGroup.objects.select_for_update(no_key=True), group_id)
    return represent_value(LastingGroupSerializer, group)


def _get_group(groups: QuerySet[FailureGroup], group_id: int) -> FailureGroup:
    return read_addressed_row(groups, str(group_id), noun=_NOUN)


_GROUP = Tag(lock=_lock_group, moving=_MOVING)
_read = partial(Read, right=roles.CAN_VIEW_MESSAGES)
_change = partial(
    Action,
    right=roles.CAN_CHANGE_GROUPS,
    key=_group_id,
    answer=LastingGroupSerializer,
    tag=_GROUP,
    errors=_as_problems,
)

CALLS = [
    _read(
        "failure-groups/",
        list_groups,
        name="Group List",
        answer=GroupListSerializer,
        operation_id="failure_groups_list",
        description=(
            "List the groups that failed in the last 7 days or have failing messages, most urgent first."
        ),
    ),
    _read(
        "error-codes/",
        list_error_codes,
        name="Error Code List",
        answer=page_of(ErrorCodeSerializer),
        operation_id="error_codes_list",
        description="List the catalogue of error codes, by code.",
    ),
    _read(
        "failure-groups/<str:group_id>/",
        read_group,
        name="Group",
        key=_group_id,
        answer=GroupDetailSerializer,
        tag=_GROUP,
        description="Return one group, even if it has not failed recently.",
    ),
    _change(
        "failure-groups/<str:group_id>/mark/",
        services.mark_group,
        audited_as="mark_group",
        body=MarkSerializer,
        description="Mark a group as known, snoozed until a time, or fixed.",
    ),
    _change(
        "failure-groups/<str:group_id>/describe/",
        services.describe_group,
        audited_as="describe_group",
        body=DescribeSerializer,
        description="Change the owner, ticket or note of a group. Members that are left out are kept.",
    ),
]
