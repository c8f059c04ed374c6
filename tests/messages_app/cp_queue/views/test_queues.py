import pytest
from lxml import html

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue import selectors
from messages_app.cp_queue.models import CpLostPickup, CpService
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import pause_queue
from messages_app.cp_queue.services.pickup import get_next
from tests.support.page_client import client_of, notices_of, text_of
from tests.support.page_tables import read_facts, read_table
from tests.support.page_undo import has_undo, press_undo, read_undo_form
from tests.support.queues import ADA, store, store_many

pytestmark = pytest.mark.django_db
HOME, QUEUE = "/cp-queue/", "/cp-queue/queue/"


@pytest.fixture
def busy_queue(settings) -> None:
    """
    Store a queue with 3 reserved, 4 deferred, 2 parked and 12 other messages of 7 more objects, and its past:
    1 failed and 6 retried dispatches, and 9 lost pickups.
    """
    settings.CP_MAX_ATTEMPTS = 1
    for number in range(2):
        return_to_queue(f"parked-{number}", osid=100 + number)
    settings.CP_MAX_ATTEMPTS = 9
    for number in range(4):
        return_to_queue(f"deferred-{number}", osid=200 + number)
    dispatch_message(guid=store("D", osid=7, lock="W1"), service="W1", reason="no such file")
    for number in range(3):
        store(f"reserved-{number}", osid=300 + number, lock="W1")
    for number in range(12):
        store(f"free-{number}", osid=number % 7, age="2 days")
    hour = CpService.objects.get(service="W1").last_poll.replace(minute=0, second=0, microsecond=0)
    CpLostPickup.objects.create(queuename="RENDITION", hour=hour, service="W1", lost=9)


def return_to_queue(name: str, *, osid: int) -> None:
    """Let a service pick up a message and return it."""
    guid = store(name, osid=osid)
    get_next(queues="RENDITION", service="W1")
    dispatch_message(guid=guid, service="W1", reason="RETRY")


class TestQueueList:
    def test_has_each_number_below_its_head_with_a_link_to_these_messages(self, busy_queue):
        (line,) = [
            line
            for line in read_table(client_of("support").get(HOME), "Queues by name")
            if line["Queue"].text.startswith("RENDITION")
        ]
        # Deferred and parked messages have numbers and lists of their own.
        assert line["Total"].links == {"21": "/cp-queue/messages/?queuename=RENDITION"}
        assert line["Free"].links == {"12": "/cp-queue/messages/?queuename=RENDITION&state=free"}
        assert line["After a retry"].links == {
            "4 deferred": "/cp-queue/messages/?queuename=RENDITION&state=deferred",
            "2 parked": "/cp-queue/messages/?queuename=RENDITION&state=parked",
        }
        assert line["Duplicates"].text == "5"
        assert line["Reserved"].links == {"3": "/cp-queue/messages/?queuename=RENDITION&state=reserved"}
        assert line["Oldest"].text == "2 d"
        dispatches = "/cp-queue/dispatches/?queuename=RENDITION"
        assert line["Dispatches, last hour"].links == {"7": f"{dispatches}&at_from=-1h"}
        assert line["Failed"].links == {"1": f"{dispatches}&outcome=failed&at_from=-1h"}
        assert line["Lost"].text == "9"

    def test_draws_objects_duplicates_and_reserved_messages_as_parts_of_the_queue(self, busy_queue):
        lines = {line.counts.name: line for line in client_of("support").get(HOME).context["lines"]}
        busy = lines["RENDITION"]
        assert [(share.name, share.count, share.width) for share in busy.shares] == [
            ("free", 13, 61.9),
            ("skipped", 5, 23.81),
            ("reserved", 3, 14.29),
        ]
        assert (sum(busy.pace.dispatched), sum(busy.pace.failed), sum(busy.pace.lost)) == (7, 1, 9)
        assert (busy.spark.highest, busy.lost.highest) == (max(busy.pace.dispatched), 9)
        (stick,) = [stick for stick in busy.spark.sticks if stick.marked_height]
        assert stick.height > stick.marked_height
        assert [stick.marked_height for stick in busy.lost.sticks] == [0]
        empty = lines["PAGECOUNT"]
        assert (empty.shares, empty.spark.sticks, empty.lost.sticks) == ([], [], [])

    def test_reports_the_figures_of_each_queue(self):
        store("A", age="3 days")
        store("B")
        store("C", osid=6, lock="W9")
        guid = store("D", osid=7, lock="W1")
        dispatch_message(guid=guid, service="W1", reason="no such file")
        page = text_of(client_of("support").get(HOME))
        for words in ("3 d", "state=reserved", "min now", "outcome=failed", "PAGECOUNT"):
            assert words in page
        assert "Create messages" not in page

    def test_warns_of_a_service_that_is_probably_dead(self):
        store("A", lock="indexer-9")
        page = text_of(client_of("operator").get(HOME))
        assert "indexer-9</a> is probably dead and holds messages." in page

    def test_names_three_of_many_services_that_are_probably_dead(self):
        for number in range(5):
            store(f"A{number}", osid=number, lock=f"indexer-{number}")
        page = text_of(client_of("operator").get(HOME))
        assert "and 2 more are probably dead and hold messages" in page
        assert "indexer-2</a>" in page
        assert "indexer-3</a>" not in page

    def test_marks_messages_that_have_waited_for_more_than_an_hour(self):
        store("A", age="59 minutes")
        store("B", "PAGECOUNT", osid=6, age="61 minutes")
        page = client_of("support").get(HOME)
        marked = html.fromstring(page.content).xpath("//table//a[@class='u-alarm']/@href")
        assert marked == ["/cp-queue/messages/?queuename=PAGECOUNT&state=free&ordering=created"]

    def test_marks_undocumented_and_paused_queues(self):
        store("A", "OCR/2")
        pause_queue(queue="RENDITION", actor=ADA, reason="r")
        page = text_of(client_of("support").get(HOME))
        assert "queuename=OCR%2F2" in page
        assert "unknown</span>" in page
        assert "paused</span>" in page

    def test_has_pages_if_there_are_many_queues(self):
        for number in range(30):
            store(f"A{number}", f"Q{number:02}")
        client = client_of("support")
        page = text_of(client.get(HOME))
        assert "Next page" in page
        assert "Q29" not in page
        assert "Q29" in text_of(client.get(HOME, {"after": "Q20"}))
        beyond = client.get(HOME, {"after": "~"}).context
        assert (beyond["lines"], beyond["next"]) == ([], "")

    def test_says_that_unused_queues_are_empty(self):
        client = client_of("operator")
        assert "All queues are empty" in text_of(client.get(HOME))
        dispatch_message(guid=store("A", lock="W1"), service="W1", reason="DISPATCHED")
        assert "All queues are empty" not in text_of(client.get(HOME))

    def test_is_not_for_services(self):
        assert client_of("cp_service").get(HOME).status_code == 403


class TestQueuePage:
    def test_has_each_number_under_its_name_with_a_link_to_these_messages(self, busy_queue):
        facts = read_facts(client_of("support").get(QUEUE, {"queuename": "RENDITION"}))
        messages = "/cp-queue/messages/?queuename=RENDITION"
        assert facts["Total"].links == {"21": messages}
        assert facts["Free"].text == "12 13 objects, including messages that wait after a retry"
        assert facts["Free"].link == f"{messages}&state=free"
        assert facts["Duplicates"].text == "5"
        assert facts["Reserved"].links == {"3": f"{messages}&state=reserved"}
        assert facts["Waiting after a retry"].links == {
            "4": f"{messages}&state=deferred",
            "2 parked": f"{messages}&state=parked",
        }

    def test_shows_the_next_pickup_and_its_services(self):
        store("A")
        CpService.objects.create(service="cache-1", queues="PAGECOUNT,RENDITION")
        page = text_of(client_of("support").get(QUEUE, {"queuename": "RENDITION"}))
        assert "cache-1" in page
        assert "of object <a" in page
        assert "Pause queue" not in page

    @pytest.mark.parametrize("name", ["", "x" * 129, "a\0b"])
    def test_refuses_an_invalid_name(self, name):
        assert client_of("support").get(QUEUE, {"queuename": name}).status_code == 400

    def test_counts_no_more_than_its_fence(self):
        store_many(selectors.COUNTED + 5)
        assert "more than" in text_of(client_of("support").get(QUEUE, {"queuename": "RENDITION"}))


class TestPause:
    def test_pauses_and_resumes_with_a_reason(self):
        store("A")
        client = client_of("operator")
        asked = {"queuename": "RENDITION", "reason": "the converter is down"}
        paused = client.post(f"{QUEUE}pause/", asked)
        assert paused.url == "/cp-queue/queue/?queuename=RENDITION"
        assert notices_of(paused) == ["Queue paused. Services get no messages from it."]
        assert get_next(queues="RENDITION", service="W1") is None
        assert "the converter is down" in text_of(client.get(QUEUE, {"queuename": "RENDITION"}))
        assert notices_of(client.post(f"{QUEUE}resume/", asked)) == ["Queue resumed."]
        assert get_next(queues="RENDITION", service="W1")
        asked["reason"] = "again"
        # The notices of all posts are still to be shown.
        assert notices_of(client.post(f"{QUEUE}resume/", asked))[1:] == [
            "Nothing was changed: the queue is already resumed."
        ]
        assert list(
            AuditEntry.objects.order_by("entry_id").values_list("action", "actor", "reason", "details")
        ) == [
            ("pause_cp_queue", "ada", "the converter is down", {"queue": "RENDITION"}),
            ("resume_cp_queue", "ada", "the converter is down", {"queue": "RENDITION"}),
        ]

    def test_is_undone_by_the_notice(self):
        store("A")
        client = client_of("operator")
        asked = {"queuename": "RENDITION", "reason": "the converter is down"}
        page = client.post(f"{QUEUE}pause/", asked, follow=True)
        assert read_undo_form(page) == (f"{QUEUE}resume/", {"queuename": "RENDITION", "reason": "Undone."})
        assert notices_of(press_undo(client, page))[-1] == "Queue resumed."
        assert get_next(queues="RENDITION", service="W1")
        assert read_undo_form(client.get(QUEUE, {"queuename": "RENDITION"}))[0] == f"{QUEUE}pause/"
        assert not has_undo(client.post(f"{QUEUE}resume/", asked, follow=True))

    def test_needs_a_reason_and_the_right(self):
        asked = {"queuename": "RENDITION"}
        assert client_of("operator").post(f"{QUEUE}pause/", asked).status_code == 400
        assert client_of("support", username="sue").post(f"{QUEUE}pause/", asked).status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"
