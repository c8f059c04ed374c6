"""Each member of a report has the value of its own figure."""

from datetime import UTC, datetime

from messages_app.core.representation import represent_value
from messages_app.message_store.api import reports
from messages_app.message_store.selectors import Monitor
from messages_app.message_store.selectors.failures import MissingEntity
from messages_app.message_store.selectors.summary import Ages, Count
from messages_app.shared.failure_texts import Group
from tests.support.distinct_rows import check_body


class TestBodies:
    def test_have_each_value_of_counts(self):
        check_body(
            reports.CountsSerializer,
            Count,
            also={"status_name": "reprocess timeout"},
            status=26,
        )

    def test_have_each_value_of_ages(self):
        check_body(reports.AgesSerializer, Ages)

    def test_have_each_value_of_the_monitor(self):
        check_body(reports.MonitorSerializer, Monitor)

    def test_have_each_value_of_missing_entities(self):
        check_body(reports.MissingEntitySerializer, MissingEntity, sample=['["c-1"]'])

    def test_have_each_value_of_groups_of_errors(self):
        group = Group(
            key=(26, "customer"),
            summary="Customer … is missing.",
            example="Customer 7 is missing.",
            first_at=datetime(2026, 11, 2, 12, 1, tzinfo=UTC),
            last_at=datetime(2026, 11, 2, 12, 2, tzinfo=UTC),
            count=31,
            ids=["m-2", "m-1"],
        )
        assert represent_value(reports.ErrorGroupSerializer, group) == {
            "status": 26,
            "source_entity": "customer",
            "summary": "Customer … is missing.",
            "example": "Customer 7 is missing.",
            "count": 31,
            "first_at": "2026-11-02T12:01:00Z",
            "last_at": "2026-11-02T12:02:00Z",
            "message_identifiers": ["m-2", "m-1"],
        }
