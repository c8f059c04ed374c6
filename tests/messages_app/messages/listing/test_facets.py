"""The numbers of facets: those of stored totals, of the failing messages, or of a marked sample."""

import pytest
from django.http import QueryDict

from messages_app.core.trigger_gaps import TriggerGap
from messages_app.messages.filters.message_filter import FACETS, MessageFilter, parse_message_filter
from messages_app.messages.listing import facets
from messages_app.messages.listing.facets import count_facets
from messages_app.messages.metrics import kinds
from messages_app.messages.metrics.models import MessageTotal
from messages_app.messages.metrics.passes import coarsen_counts, fold_changes
from messages_app.messages.models import Message
from messages_app.messages.selectors import count_stored, quick_count
from tests.messages_app.incident_pages.outage import make_outage
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db


def filter_of(query: str) -> MessageFilter:
    return parse_message_filter(QueryDict(query), user=None, other_parameters=())


def numbers_of(query: str, name: str) -> dict[str, int]:
    counts = count_facets(filter_of(query))[name]
    assert counts is not None
    return dict(counts.numbers)


def make_three_kinds() -> None:
    for state, service, source, code in (
        ("FAILED", "billing", "CRM", "E1"),
        ("FAILED", "billing", "WEB", "E2"),
        ("FAILED", "order", "WEB", "E2"),
        ("OK", "billing", "CRM", None),
        ("OK", "order", "CRM", None),
        ("OK", "order", "CRM", None),
    ):
        make_message(state=state, service_name=service, source_system=source, failed_error_code=code)


class TestTotals:
    def test_follow_every_change_before_and_after_the_pass(self):
        make_three_kinds()
        for _ in range(2):
            assert numbers_of("", "state") == {"FAILED": 3, "OK": 3}
            assert count_stored(filter_of("service_name=order&state=OK")) == 2
            fold_changes()
        Message.objects.filter(state="FAILED", service_name="billing").update(state="CANCEL")
        for _ in range(2):
            assert numbers_of("", "state") == {"FAILED": 1, "OK": 3, "CANCEL": 2}
            fold_changes()

    def test_that_are_0_are_forgotten(self):
        make_message(state="FAILED")
        fold_changes()
        Message.objects.update(state="OK")
        fold_changes()
        assert sorted(MessageTotal.objects.values_list("state", "present")) == [("FAILED", 0), ("OK", 1)]
        coarsen_counts()
        assert list(MessageTotal.objects.values_list("state", "present")) == [("OK", 1)]

    def test_are_not_used_while_statements_of_the_hub_are_missing(self):
        make_three_kinds()
        assert quick_count(filter_of("")).is_exact
        TriggerGap.objects.create(
            area="messages",
            sqlstate="57014",
            reason="x",
            first_at="2026-01-01T00:00Z",
            last_at="2026-01-01T00:00Z",
            statements=1,
        )
        assert count_stored(filter_of("")) is None
        assert numbers_of("", "state") == {"FAILED": 3, "OK": 3}  # of a sample with all messages

    def test_are_not_used_for_more_kinds_than_a_page_reads(self, monkeypatch):
        make_three_kinds()
        monkeypatch.setattr(kinds, "MAX_KINDS", 3)
        assert count_stored(filter_of("")) is None
        assert numbers_of("", "state") == {"FAILED": 3, "OK": 3}


class TestCountFacets:
    def test_leaves_out_only_the_choice_of_the_facet_itself(self):
        make_three_kinds()
        query = "state=FAILED&service_name=billing"
        assert numbers_of(query, "state") == {"FAILED": 2, "OK": 1}
        assert numbers_of(query, "service_name") == {"billing": 2, "order": 1}
        assert numbers_of(query, "source_system") == {"CRM": 1, "WEB": 1}
        assert numbers_of(query, "failed_error_code") == {"E1": 1, "E2": 1}

    def test_counts_several_values_and_values_that_are_left_out(self):
        make_three_kinds()
        assert numbers_of("service_name=billing&service_name=order", "state") == {"FAILED": 3, "OK": 3}
        assert numbers_of("failed_error_code_not=E2", "state") == {"FAILED": 1, "OK": 3}
        assert numbers_of("state_not=OK", "source_system") == {"CRM": 1, "WEB": 2}

    def test_counts_the_systems_of_failing_messages_exactly(self):
        make_outage(count=3)
        make_message(state="FAILED")
        fold_changes()
        assert numbers_of("state=FAILED", "external_system") == {"pay.bank.example": 6}
        assert numbers_of("state=FAILED&external_system=pay.bank.example", "service_name") == {
            "billing": 3,
            "order": 3,
        }

    @pytest.mark.parametrize(
        "query", ["archived=true", "archived=any", "receive_timestamp_from=2000-01-01T00:00:00Z"]
    )
    def test_counts_all_messages_of_a_short_list_without_totals(self, query):
        for make in (make_archived_message, make_message):
            make(state="OK", service_name="order")
        counts = count_facets(filter_of(query))
        assert all(counts[name].sample is None for name in FACETS)
        assert dict(counts["service_name"].numbers) == {"order": 2 if query == "archived=any" else 1}

    def test_counts_the_newest_messages_of_a_longer_list_and_says_how_many(self, monkeypatch):
        monkeypatch.setattr(facets, "SAMPLE", 2)
        for state in ("FAILED", "OK", "OK"):
            make_archived_message(state=state)
        counts = count_facets(filter_of("archived=true"))["state"]
        assert (dict(counts.numbers), counts.sample) == ({"OK": 2}, 2)

    def test_counts_no_search_of_payloads(self):
        make_message()
        times = "receive_timestamp_from=2026-11-20T00:00:00Z&receive_timestamp_to=2026-11-21T00:00:00Z"
        assert set(count_facets(filter_of(f"payload_contains=x&{times}")).values()) == {None}

    def test_reads_totals_once_for_all_facets(self, django_assert_max_num_queries):
        make_three_kinds()
        with django_assert_max_num_queries(4):
            count_facets(filter_of("state=FAILED&service_name=billing"))
