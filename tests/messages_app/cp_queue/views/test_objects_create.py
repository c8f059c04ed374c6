import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import CpMessage
from tests.support.page_client import client_of, text_of
from tests.support.queues import store

pytestmark = pytest.mark.django_db
CREATE = "/cp-queue/create/"
ASKED = {"object_id": "5", "object_type": "65536"}


class TestCreate:
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
        assert client_of("operator").post(CREATE, asked).url == "/cp-queue/objects/5/"
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
