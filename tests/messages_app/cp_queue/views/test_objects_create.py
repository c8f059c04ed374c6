import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import CpMessage
from tests.support.page_client import client_of, text_of
from tests.support.queues import store

pytestmark = pytest.mark.django_db
CREATE = "/cp-queue/create/"
ASKED = {"object_id": "5", "object_type": "65536"}


class TestCreate:
    def test_has_the_rows_of_each_queue_separately(self):
        store("A"), store("B", age="1 hour")
        store("C", lock="W1")
        store("D", "PAGECOUNT", lock="W2")
        store("E", osid=6)
        asked = ASKED | {"queue": ["RENDITION", "FULLTEXTIDX"], "others": "PAGECOUNT,OCR"}
        client = client_of("operator")
        empty = client.get(CREATE)
        assert (empty.status_code, empty.context["rows"], empty.context["form"].is_bound) == (
            200,
            None,
            False,
        )
        answer = client.get(CREATE, asked)
        assert (answer.status_code, answer.context["would_create"]) == (200, 4)
        rows = {
            row.queue: (row.object_type, row.is_known, row.collapsed, row.held_by)
            for row in answer.context["rows"]
        }
        assert rows == {
            "RENDITION": (65_536, True, 2, ["W1"]),
            "FULLTEXTIDX": (65_536, True, 0, []),
            "PAGECOUNT": (65_536, True, 0, ["W2"]),
            "OCR": (65_536, False, 0, []),
        }
        assert client.get(CREATE, asked | {"object_id": "x"}).status_code == 400

    def test_shows_the_rows_first(self):
        store("A")
        asked = ASKED | {"queue": ["RENDITION", "FULLTEXTIDX"], "others": "OCR"}
        page = text_of(client_of("operator").get(CREATE, asked))
        assert "3 messages would be created" in page
        assert "its pickup deletes it" in page
        assert CpMessage.objects.count() == 1

    def test_does_nothing_if_nothing_is_ticked(self):
        assert "No queue selected" in text_of(client_of("operator").get(CREATE, ASKED))

    def test_makes_them_with_a_reason(self):
        asked = ASKED | {"others": "RENDITION,PAGECOUNT", "reason": "its rendition was broken"}
        answer = client_of("operator").post(CREATE, asked, follow=True)
        assert answer.redirect_chain == [("/cp-queue/objects/5/", 302)]
        assert "Created 2 messages." in text_of(answer)
        assert set(CpMessage.objects.values_list("queuename", "osid")) == {("RENDITION", 5), ("PAGECOUNT", 5)}
        assert AuditEntry.objects.get().reason == "its rendition was broken"

    @pytest.mark.parametrize(
        "changes",
        [
            {"reason": ""},
            {"object_id": "x"},
            {"object_type": "-1"},
            {"others": "x" * 129},
            {"queue": "PAGECOUNT"},
        ],
    )
    def test_makes_none_if_something_is_wrong(self, changes):
        asked = ASKED | {"others": "RENDITION", "reason": "r"} | changes
        assert client_of("operator").post(CREATE, asked).status_code == 400
        assert not CpMessage.objects.exists()

    def test_is_for_operators(self):
        client = client_of("support")
        assert client.get(CREATE).status_code == 403
        assert client.post(CREATE, ASKED).status_code == 403
        assert [*AuditEntry.objects.values_list("outcome", flat=True)] == ["refused"] * 2
