from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.core.problems import Problem
from messages_app.jobs.stores.message_store import ITEMS as MESSAGE_STORE
from messages_app.jobs.stores.message_store import store_filter
from messages_app.jobs.stores.store import Present, items_of
from messages_app.message_store.models import MessageLine
from tests.support.stores import store

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)


class TestStoredMessages:
    def test_reads_relative_times_of_an_address(self):
        found = MESSAGE_STORE.read(QueryDict("message_timestamp_from=-2h&status="), user=None, now=NOW)
        assert found.values == {"message_timestamp_from": datetime(2026, 11, 21, 5, tzinfo=UTC)}

    def test_keeps_a_filter_so_that_it_means_the_same(self):
        found = MESSAGE_STORE.parse(QueryDict("status=26&status=25&refresh=true"), user=None)
        assert store_filter(MESSAGE_STORE.job_filter("archive_history", found)) == found

    def test_skips_muted_messages_unless_they_are_requested(self):
        for query, muted in (("status=26", "false"), ("status=26&muted=true", "true")):
            found = MESSAGE_STORE.parse(QueryDict(query), user=None)
            assert MESSAGE_STORE.job_filter("reprocess", found) == {"status": "26", "muted": muted}

    def test_refuses_a_filter_of_another_list(self):
        with pytest.raises(Problem):
            MESSAGE_STORE.parse(QueryDict("state=FAILED"), user=None)

    @pytest.mark.django_db
    def test_names_numbers_by_identifiers_and_back(self):
        key = store()
        number = MessageLine.objects.get().pk
        assert MESSAGE_STORE.last_id() == number
        assert MESSAGE_STORE.find(key.upper()) == number
        assert MESSAGE_STORE.find("777") is None
        assert MESSAGE_STORE.find("x" * 500) is None
        item = items_of(MESSAGE_STORE, [number])[number]
        assert (item.name, item.address) == (key, f"/message-store/messages/{key}/")

    @pytest.mark.django_db
    def test_reports_the_current_states_of_messages(self):
        store()
        line = MessageLine.objects.get()
        MessageLine.objects.update(status=26, source_system="ERP", source_entity="order")
        found = MESSAGE_STORE.read_present([line.pk, line.pk + 1])
        assert found == {line.pk: Present(state="reprocess timeout", about="ERP · order")}
        MessageLine.objects.update(status=77, source_system=None)
        assert MESSAGE_STORE.read_present([line.pk]) == {line.pk: Present(state="77", about="order")}
        MessageLine.objects.update(status=None)
        assert MESSAGE_STORE.read_present([line.pk]) == {}

    @pytest.mark.django_db
    def test_reports_whether_there_are_more(self):
        store()
        store()
        found = MESSAGE_STORE.parse(QueryDict("status=0"), user=None)
        assert MESSAGE_STORE.has_more_than(1, found, timeout_ms=1000) is True
        assert MESSAGE_STORE.has_more_than(2, found, timeout_ms=1000) is False
