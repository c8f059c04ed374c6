"""Each member of a body has the value of its own column or figure."""

import pytest

from messages_app.document_history.api.checks import (
    AbandonedSerializer,
    CheckSerializer,
    DeliverySerializer,
    DryRunSerializer,
)
from messages_app.document_history.api.history import (
    HistoryEntrySerializer,
    StatisticsSerializer,
    SweepSerializer,
)
from messages_app.document_history.api.in_doubt import InDoubtSerializer
from messages_app.document_history.api.triggers import (
    NewTriggerSerializer,
    TriggerChangesSerializer,
    TriggerCountsSerializer,
    TriggerSerializer,
)
from messages_app.document_history.dry_run import DryRun
from messages_app.document_history.models import (
    DocumentInDoubt,
    DocumentOutcome,
    DocumentSweep,
    DocumentTrigger,
)
from messages_app.document_history.selectors import TriggerCounts
from messages_app.document_history.selectors.entries import EntryLine
from messages_app.document_history.states import DecidedBy, Pair, Rule, Verdict
from tests.support.distinct_rows import check_body

SHA = "ab" * 32


class TestBodies:
    def test_have_each_value_of_sweeps(self):
        check_body(SweepSerializer, DocumentSweep, removed_by_trigger={"t-1": 3})

    def test_have_each_value_of_entries(self):
        check_body(
            HistoryEntrySerializer,
            EntryLine,
            renamed={"pair": "state", "is_expired": "expired", "is_orphaned": "orphaned"},
            pair=Pair.PROCESSING_ONLY,
        )

    def test_have_each_value_of_documents_in_doubt(self):
        check_body(
            InDoubtSerializer,
            DocumentInDoubt,
            without={"document", "decided_start"},
            rule="no_uuid",
            state="open",
        )

    def test_have_each_value_of_triggers(self):
        check_body(
            TriggerSerializer,
            DocumentTrigger,
            without={"cleared_at", "deleted_at"},
            also={"resolver_fault": ""},
            resolver="",
        )

    def test_have_each_value_of_the_figures_of_a_trigger(self):
        check_body(TriggerCountsSerializer, TriggerCounts, without={"trigger_id"})

    def test_have_each_value_of_outcomes(self):
        check_body(
            StatisticsSerializer,
            DocumentOutcome,
            renamed={"identifier": "document_uuid", "status": "document_status"},
            without={"outcome_id"},
            status=Verdict.DUPLICATE,
            decided_by=DecidedBy.HISTORY,
            rule=Rule.BOTH_ENTRIES,
        )

    def test_have_each_value_of_dry_runs(self):
        check_body(
            DryRunSerializer,
            DryRun,
            renamed={"verdict": "status", "pair": "entries", "is_suspended": "suspended"},
            also={"decided_by": "history"},
            rule=Rule.BOTH_ENTRIES,
            verdict=Verdict.DUPLICATE,
            pair=Pair.BOTH,
            steps=["It was delivered again.", "Both entries exist."],
        )

    def test_have_each_value_of_abandoned_documents(self):
        body = {"trigger_id": "t-1", "uuid": "u-1", "abandoned": True}
        assert AbandonedSerializer(body).data == body


class TestParameters:
    @pytest.mark.parametrize("serializer", [DeliverySerializer, CheckSerializer])
    def test_have_each_value_of_deliveries(self, serializer):
        sent = {
            "trigger_id": "t-1",
            "uuid": "u-1",
            "track_id": "k-1",
            "event_id": "e-1",
            "redelivery_count": 3,
        }
        more = {"document": {"a": 1}, "document_name": "Order", "content_sha256": SHA}
        sent |= more if serializer is CheckSerializer else {}
        body = serializer(data=sent | {"guaranteed": False})
        body.is_valid(raise_exception=True)
        assert body.validated_data == sent | {"is_guaranteed": False}

    @pytest.mark.parametrize("flags", [(True, False), (False, True)])
    @pytest.mark.parametrize("serializer", [TriggerChangesSerializer, NewTriggerSerializer])
    def test_have_each_value_of_triggers(self, serializer, flags):
        sent = {
            "name": "orders",
            "detect_duplicates": flags[0],
            "use_history": flags[1],
            "history_ttl_seconds": 60,
            "resolver": "by_content",
            "on_retry_failure": "throw_exception",
            "reason": "as agreed",
        }
        sent |= {"trigger_id": "t-1"} if serializer is NewTriggerSerializer else {}
        body = serializer(data=sent)
        body.is_valid(raise_exception=True)
        assert body.validated_data == sent
