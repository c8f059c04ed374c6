from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.jobs.stores.messages import ITEMS as MESSAGES
from messages_app.jobs.stores.messages import message_filter
from messages_app.jobs.stores.store import Present, items_of, list_address
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.support.factories import make_archived_message, make_message

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)


class TestMessages:
    def test_reads_relative_times_of_an_address(self):
        found = MESSAGES.read(QueryDict("receive_timestamp_from=-2h&state="), user=None, now=NOW)
        assert found.values == {"receive_timestamp_from": datetime(2026, 11, 21, 5, tzinfo=UTC)}

    def test_keeps_a_filter_so_that_it_means_the_same(self):
        found = MESSAGES.parse(QueryDict("state=FAILED&state=OK&parent_msg_id=7"), user=None)
        assert message_filter(MESSAGES.job_filter("restart", found)) == found

    def test_restores_only_from_the_archive(self):
        found = MESSAGES.parse(QueryDict("state=OK"), user=None)
        assert MESSAGES.job_filter("restore", found) == {"state": "OK", "archived": "true"}

    @pytest.mark.parametrize(
        ("kind", "query", "field"),
        [
            ("restart", "state=OK&archived=true", "archived"),
            ("restore", "state=OK&archived=any", "archived"),
            ("archive", "state=WAITING", "state"),
        ],
    )
    def test_reports_what_a_kind_cannot_do(self, kind, query, field):
        (fault,) = MESSAGES.find_faults(kind, MESSAGES.parse(QueryDict(query), user=None))
        assert fault.field == field

    @pytest.mark.django_db
    def test_returns_the_last_id_live_or_archived(self):
        assert MESSAGES.last_id() == 0
        message = make_message()
        assert MESSAGES.last_id() == message.pk
        assert MESSAGES.last_id() < make_archived_message().pk == MESSAGES.last_id()

    def test_finds_by_plain_digits(self):
        assert (MESSAGES.find("17"), MESSAGES.find("x")) == (17, None)

    @pytest.mark.django_db
    def test_presents_messages_live_or_archived_with_the_error_of_failed_ones(self):
        for make, msg_id, state in (
            (make_message, 1, "FAILED"),
            (make_message, 2, "OK"),
            (make_message, 3, "PARTLY_FAILED"),
            (make_archived_message, 4, "FAILED"),
            (make_archived_message, 1, "OK"),
            (make_message, 9, "OK"),
        ):
            names = {"service_name": f"s{msg_id}", "operation_name": f"o{msg_id}"}
            make(msg_id=msg_id, state=state, failed_error_code=f"E{msg_id}", **names)
        make_cold_message(5, state="FAILED", service_name="s5", operation_name="o5", failed_error_code="E5")
        make_cold_message(6, state="FAILED", service_name="s6", operation_name="o6", failed_error_code=None)
        assert MESSAGES.read_present([1, 2, 3, 4, 5, 6, 7]) == {
            1: Present(state="FAILED", about="s1 · o1", error="E1", is_archived=False),
            2: Present(state="OK", about="s2 · o2", error="", is_archived=False),
            3: Present(state="PARTLY_FAILED", about="s3 · o3", error="E3", is_archived=False),
            4: Present(state="FAILED", about="s4 · o4", error="E4", is_archived=True),
            5: Present(state="FAILED", about="s5 · o5", error="E5", is_archived=True),
            6: Present(state="FAILED", about="s6 · o6", error="", is_archived=True),
        }


class TestItemsOf:
    def test_lead_to_their_pages(self):
        item = items_of(MESSAGES, [7])[7]
        assert (item.name, item.address) == ("7", "/messages/7/")


class TestListAddress:
    def test_leads_to_the_stores_list(self):
        assert list_address(MESSAGES, "state=OK") == "/messages/?state=OK"
