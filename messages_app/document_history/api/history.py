"""
The history over REST: its entries, its statistics and its sweeper.

Source: docs/contributing/spec/interfaces.md, "Document history".
"""

from collections.abc import Mapping
from functools import partial

from rest_framework import serializers

from messages_app.access.calls import Action
from messages_app.access.reads import Listing, Read
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING_ON_ONE, CodeField
from messages_app.core.serializers import (
    OptionalReasonField,
    RowSerializer,
    StrictCharField,
    StrictSerializer,
)
from messages_app.document_history import selectors
from messages_app.document_history.api.checks import PAIRS
from messages_app.document_history.api.errors import DocumentView, as_problems
from messages_app.document_history.models import MAX_TRIGGER_ID, DocumentSweep
from messages_app.document_history.registration import (
    CAN_CHANGE_TRIGGERS,
    CAN_SWEEP_DOCUMENTS,
    CAN_VIEW_DOCUMENT_HISTORY,
)
from messages_app.document_history.selectors.entries import (
    ENTRIES,
    ORDERS,
    STATISTICS,
    entry_lines,
    entry_page,
)
from messages_app.document_history.selectors.outcomes import outcome_page
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import clear_statistics
from messages_app.document_history.states import DecidedBy, Rule, Verdict

# Time limit of a sweep in one request; the next sweep removes the rest.
_SWEEP_SECONDS = 10.0


class AskSweepSerializer(StrictSerializer):
    reason = OptionalReasonField()


class SweepSerializer(RowSerializer):
    class Meta:
        model = DocumentSweep
        fields = ("sweep_id", "started_at", "finished_at", "actor", "removed", "removed_by_trigger", "error")


class SweeperSerializer(serializers.Serializer):
    """The sweeper's last run and its next one."""

    last = SweepSerializer(allow_null=True)
    next_at = serializers.DateTimeField(allow_null=True, help_text="null: the scheduler has not started.")
    interval_seconds = serializers.FloatField(allow_null=True)
    orphaned = serializers.ListField(
        child=serializers.CharField(), help_text="Unknown triggers with entries, which are kept."
    )


class HistoryEntrySerializer(serializers.Serializer):
    trigger_id = serializers.CharField()
    trigger_name = serializers.CharField()
    document_uuid = serializers.CharField()
    state = serializers.ChoiceField(
        choices=PAIRS,
        source="pair",
        help_text="processing: undetermined. completed: only the completed entry.",
    )
    time = serializers.DateTimeField(help_text="When processing started.")
    expires_at = serializers.DateTimeField(allow_null=True)
    expired = serializers.BooleanField(source="is_expired", help_text="It is used until it is removed.")
    orphaned = serializers.BooleanField(source="is_orphaned", help_text="Checks ignore it.")


class StatisticsSerializer(serializers.Serializer):
    """The vendor's three columns, and the reason."""

    trigger_id = serializers.CharField()
    document_name = serializers.CharField()
    document_uuid = serializers.CharField(source="identifier")
    document_status = serializers.ChoiceField(
        choices=[str(Verdict.DUPLICATE), str(Verdict.IN_DOUBT)], source="status"
    )
    at = serializers.DateTimeField()
    redelivery_count = serializers.IntegerField()
    decided_by = CodeField("DecidedBy", DecidedBy, is_open=True)
    rule = CodeField("DetectionRule", Rule, is_open=True)
    message = serializers.CharField()


class ClearSerializer(StrictSerializer):
    trigger_id = StrictCharField(
        max_length=MAX_TRIGGER_ID,
        trim_whitespace=False,
        required=False,
        default=None,
        help_text="Default: all triggers.",
    )
    reason = OptionalReasonField()


class ClearedSerializer(serializers.Serializer):
    trigger_id = serializers.CharField(allow_null=True)
    cleared = serializers.BooleanField()


def clear_outcomes(*, trigger_id: str | None, actor: Actor, reason: str) -> Mapping[str, object]:
    clear_statistics(actor=actor, reason=reason, trigger_id=trigger_id)
    return {"trigger_id": trigger_id, "cleared": True}


_list = partial(Listing, right=CAN_VIEW_DOCUMENT_HISTORY)
_call = partial(Action, view=DocumentView, errors=as_problems)

CALLS = [
    Read(
        "sweep/",
        selectors.sweeper_state,
        view=DocumentView,
        right=CAN_VIEW_DOCUMENT_HISTORY,
        answer=SweeperSerializer,
        description="Return the sweeper's last run, the entries it removed, and the time of the next run.",
    ),
    _call(
        "sweep/",
        partial(sweep_entries, seconds=_SWEEP_SECONDS),
        right=CAN_SWEEP_DOCUMENTS,
        audited_as="sweep_documents",
        body=AskSweepSerializer,
        answer=SweepSerializer,
        keeps_answer=False,
        description=(
            "Remove expired entries now, for at most ten seconds. Each batch is committed separately, so an "
            "Idempotency-Key is checked but stores no answer: a repeated call removes newly expired "
            "entries."
        ),
    ),
    _list(
        "entries/",
        entry_page,
        name="Entry List",
        filters=ENTRIES,
        orders=ORDERS,
        answer=HistoryEntrySerializer,
        lines=entry_lines,
        operation_id="document_history_entries_list",
        description=(
            "List the history, one line for a document with both its entries. `state=processing` selects"
            " undetermined documents. With `uuid_prefix` the order is by UUID."
        ),
    ),
    _list(
        "statistics/",
        outcome_page,
        filters=STATISTICS,
        answer=StatisticsSerializer,
        operation_id="document_history_statistics_list",
        description="List Duplicates and In Doubts of the last 30 days that were not cleared, newest first.",
    ),
    _call(
        "statistics/clear/",
        clear_outcomes,
        name="Clear Statistics",
        right=CAN_CHANGE_TRIGGERS,
        audited_as="clear_statistics",
        body=ClearSerializer,
        answer=ClearedSerializer,
        problems=ACTING_ON_ONE,
        description=(
            "Remove all outcomes up to now from the statistics. History and decisions do not change."
        ),
    ),
]
