from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.jobs.stores.messages import MESSAGES, message_filter
from messages_app.jobs.stores.store import items_of, list_address
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
        (fault,) = MESSAGES.faults(kind, MESSAGES.parse(QueryDict(query), user=None))
        assert fault.field == field

    @pytest.mark.django_db
    def test_returns_the_last_id_live_or_archived(self):
        assert MESSAGES.last_id() == 0
        message = make_message()
        assert MESSAGES.last_id() == message.pk
        assert MESSAGES.last_id() < make_archived_message().pk == MESSAGES.last_id()

    def test_finds_by_plain_digits(self):
        assert (MESSAGES.find("17"), MESSAGES.find("x")) == (17, None)


class TestItemsOf:
    def test_lead_to_their_pages(self):
        item = items_of(MESSAGES, [7])[7]
        assert (item.name, item.address) == ("7", "/messages/7/")


class TestListAddress:
    def test_leads_to_the_stores_list(self):
        assert list_address(MESSAGES, "state=OK") == "/messages/?state=OK"
