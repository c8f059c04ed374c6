import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.cp_queue import selectors
from messages_app.cp_queue.models import CpDeferred
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.pickup import get_next
from tests.support.page_client import client_of, text_of
from tests.support.queues import guid_of, make_due, store

pytestmark = pytest.mark.django_db
OBJECTS = "/cp-queue/objects/"


class TestFindObject:
    def test_links_to_the_object(self):
        client = client_of("support")
        assert client.get(OBJECTS).status_code == 200
        assert client.get(OBJECTS, {"osid": " 5 "}).url == f"{OBJECTS}5/"

    @pytest.mark.parametrize("text", ["five", str(-(2**31) - 1), str(2**31), "1_0"])
    def test_refuses_an_invalid_id(self, text):
        assert client_of("support").get(OBJECTS, {"osid": text}).status_code == 400


class TestObjectPage:
    def test_shows_what_the_next_pickup_does_in_each_queue(self):
        store("A", age="1 hour")
        store("B")
        store("C", "PAGECOUNT", lock="counter-1")
        page = text_of(client_of("support").get(f"{OBJECTS}5/"))
        assert "deleted by the next pickup" in page
        assert "next to be picked up" in page
        assert "held by counter-1" in page

    def test_shows_how_long_ago_a_message_was_created_and_when_it_is_due(self):
        guid = store("A", age="3 days", lock="W1")
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        CpDeferred.objects.update(not_before=Now() + timedelta(hours=5, minutes=30))
        client = client_of("support")
        page = text_of(client.get(f"{OBJECTS}5/"))
        assert ", 3 d ago · type" in page
        due = re.compile(r', due <time datetime="[^"]+" title="[^"]+ UTC">in 5 h</time>')
        assert due.search(page.partition("after a retry")[2])
        assert due.search(text_of(client.get("/cp-queue/messages/")).partition("attempt")[2])

    def test_counts_what_is_due_after_a_retry_among_the_free(self):
        store("A", age="1 hour")
        guid = store("B", lock="W1")
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        make_due(guid)
        taken = {one.guid: one.is_collapsible for one in selectors.object_messages(object_id=5)}
        assert taken == {guid: False, guid_of("A"): True}
        assert get_next(queues="RENDITION", service="W1").guid == guid

    def test_warns_if_two_may_work_at_the_same_time(self):
        store("A", lock="cache-1", age="1 hour")
        store("B")
        assert "cache-1 works on this object while another message for it is free" in text_of(
            client_of("support").get(f"{OBJECTS}5/")
        )

    def test_warns_if_two_work_at_the_same_time(self):
        store("A", lock="cache-1", age="1 hour")
        store("B", lock="cache-2")
        page = text_of(client_of("support").get(f"{OBJECTS}5/"))
        assert "Services hold 2 messages of this object at the same time (cache-2, cache-1)" in page

    def test_does_not_warn_if_one_service_works_on_an_object(self):
        store("A", lock="cache-1")
        store("B", "PAGECOUNT", lock="cache-2")
        assert "at the same time" not in text_of(client_of("support").get(f"{OBJECTS}5/"))

    def test_shows_the_outcome_of_its_messages(self):
        dispatch_message(guid=store("A", lock="W1"), service="W1", reason="no such file")
        page = text_of(client_of("support").get(f"{OBJECTS}5/"))
        assert "No messages for this object" in page
        assert "no such file" in page

    def test_has_a_page_for_any_id(self):
        assert client_of("support").get(f"{OBJECTS}{2**40}/").status_code == 200

    def test_warns_if_it_waits_to_be_indexed_and_removed(self):
        store("A", "FULLTEXTIDX")
        client = client_of("support")
        assert "the indexer must check" not in text_of(client.get(f"{OBJECTS}5/"))
        store("B", "FULLTEXTDELETE")
        assert "the indexer must check" in text_of(client.get(f"{OBJECTS}5/"))
