"""The values that the views of the CP queue give to their pages, of rows of which some belong to others."""

import pytest

from messages_app.cp_queue.models import CpService
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import pause_queue
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import reset_message
from messages_app.cp_queue.states import QUEUES
from messages_app.cp_queue.views import queues
from tests.support.page_client import client_of
from tests.support.queues import ADA, guid_of, store

pytestmark = pytest.mark.django_db


class TestQueueList:
    def test_has_pages_of_queues_in_order(self, monkeypatch):
        monkeypatch.setattr(queues, "_LINES", 2)
        client = client_of("support")
        names = sorted({*QUEUES, "ZZ one", "ZZ two"})
        for name in ("ZZ one", "ZZ two"):
            store(name, name)
        shown, query, firsts = [], "", []
        for _ in range(len(names)):
            context = client.get(f"/cp-queue/?{query}").context
            page = [line.counts.name for line in context["lines"]]
            assert 1 <= len(page) <= 2
            shown += page
            firsts.append(context["is_first"])
            query = context["next"]
            if not query:
                break
        assert shown == names
        assert firsts == [True] + [False] * (len(firsts) - 1)

    def test_names_the_dead(self):
        store("D", osid=8, lock="gone-1")
        CpService.objects.create(service="away-1", queues="X", last_poll="2026-01-01T00:00:00Z")
        context = client_of("support").get("/cp-queue/").context
        assert [one.service for one in context["dead"]] == ["gone-1"]


class TestQueuePage:
    def test_has_only_what_belongs_to_its_queue(self):
        store("A", ostype=65_537)
        store("B", osid=6, ostype=65_537)
        store("C", osid=7, ostype=131_074)
        store("D", "PAGECOUNT", osid=8, ostype=196_611)
        for name, asked in (("w-1", "RENDITION,PAGECOUNT"), ("w-2", "PAGECOUNT"), ("w-3", "OTHER RENDITION")):
            CpService.objects.create(service=name, queues=asked, last_poll="2026-01-01T00:00:00Z")
        context = client_of("support").get("/cp-queue/queue/?queuename=RENDITION").context
        assert context["line"].counts.name == "RENDITION"
        assert [one.service for one in context["services"]] == ["w-1"]
        assert [(one.object_type, one.messages, bar.label) for one, bar in context["types"]] == [
            (65_537, 2, "65537"),
            (131_074, 1, "131074"),
        ]
        assert context["next_pickup"].queue == "RENDITION"
        assert context["pause"] is None
        pause_queue(queue="PAGECOUNT", actor=ADA, reason="its disk is full")
        other = client_of("support", username="ben").get("/cp-queue/queue/?queuename=PAGECOUNT").context
        assert (other["pause"].pk, other["pause"].reason) == ("PAGECOUNT", "its disk is full")


class TestObjectPage:
    def test_has_only_what_belongs_to_its_object(self):
        store("A")
        store("B", "OCR")
        store("C", osid=6)
        for name, osid in (("D", 5), ("E", 6)):
            dispatch_message(guid=store(name, osid=osid, lock="w-1"), service="w-1", reason="OK")
        context = client_of("support").get("/cp-queue/objects/5/").context
        found = [(one.queue, one.is_known, [each.guid for each in one.messages]) for one in context["queues"]]
        assert sorted(found) == [("OCR", False, [guid_of("B")]), ("RENDITION", True, [guid_of("A")])]
        assert [row.messageguid for row in context["log"]] == [guid_of("D")]
        assert (context["contradicts"], context["is_cut"]) == (False, False)


class TestMessagePage:
    def test_has_only_what_belongs_to_its_message(self):
        guid, other = store("A", lock="w-1"), store("B", osid=6, lock="w-2")
        for one in (guid, other):
            reset_message(guid=one, actor=ADA, reason=f"reset {one}", service=None)
        dispatch_message(guid=store("C", osid=7, lock="w-3"), service="w-3", reason="OK")
        context = client_of("support").get(f"/cp-queue/messages/{guid}/").context
        assert [entry.reason for entry in context["actions"]] == [f"reset {guid}"]
        assert (context["message"].osid, context["type_parts"], list(context["log"])) == (5, (1, 0), [])
        assert (context["about"], context["may_be_created"]) == (QUEUES["RENDITION"], True)


class TestCountedSelection:
    def test_names_only_workers_that_may_hold_what_is_selected(self):
        for name, queue, osid in (("A", "RENDITION", 5), ("B", "PAGECOUNT", 6)):
            store(name, queue, osid=osid)
        get_next(queues="RENDITION", service="w-1")
        get_next(queues="PAGECOUNT", service="w-2")
        store("C", osid=7, lock="gone-1")
        client = client_of("operator")

        def alive(**asked: str) -> tuple[int, list[str]]:
            context = client.get("/cp-queue/reset/", asked).context
            return context["selected"], sorted(each.service for each in context["alive"])

        assert alive(queue="RENDITION") == (2, ["w-1"])
        assert alive(queue="PAGECOUNT") == (1, ["w-2"])
        assert alive(service="w-2") == (1, ["w-2"])
        assert alive(service="gone-1") == (1, [])
        assert alive(object_type="65536") == (3, ["w-1", "w-2"])
        assert alive(service="w-1", queue="PAGECOUNT") == (0, [])


@pytest.mark.parametrize(
    ("address", "section"),
    [
        ("", "Queues"),
        ("queue/?queuename=RENDITION", "Queues"),
        ("services/", "Services"),
        ("messages/", "Messages"),
        (f"messages/{guid_of('A')}/", "Messages"),
        ("objects/5/", "Objects"),
        ("dispatches/", "Dispatch log"),
        ("preview/", "Next pickup"),
        ("create/", "Create"),
        ("reset/", "Reset"),
    ],
)
def test_each_page_belongs_to_its_section(address, section):
    store("A")
    context = client_of("operator").get(f"/cp-queue/{address}").context
    assert [one.text for one in context["sections"] if one.is_on] == [section]
