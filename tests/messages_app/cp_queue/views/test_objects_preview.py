import pytest

from messages_app.audit.models import AuditEntry
from tests.support.page_client import client_of, text_of
from tests.support.queues import guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db
PREVIEW, POLL = "/cp-queue/preview/", "/cp-queue/poll/"


class TestPreview:
    def test_shows_what_a_pickup_would_take_and_delete(self):
        store("A", age="1 hour")
        store("B")
        answer = client_of("support").get(PREVIEW, {"queue": "RENDITION", "others": "OCR, NEW"})
        assert (answer.status_code, answer.context["queues"]) == (200, ["RENDITION", "OCR", "NEW"])
        assert [name for name, _, is_asked in answer.context["boxes"] if is_asked] == ["RENDITION"]
        assert (answer.context["others"], answer.context["own_name"]) == ("OCR, NEW", "console:ada")
        page = text_of(answer)
        assert f"/cp-queue/messages/{guid_of('B')}/" in page
        assert "1 other free message of the object" in page
        assert set(remaining_messages().values()) == {None}

    def test_reports_that_nothing_is_free(self):
        page = text_of(client_of("support").get(PREVIEW, {"queue": "RENDITION"}))
        assert "No message" in page

    @pytest.mark.parametrize("asked", [{"others": ","}, {"others": "x" * 129}, {"queue": "a\0b"}])
    def test_refuses_an_invalid_queue(self, asked):
        assert client_of("support").get(PREVIEW, asked).status_code == 400

    def test_lets_an_operator_pick_it_up_as_a_worker_would(self):
        store("A")
        store("B", "OCR", osid=6)
        client = client_of("operator")
        page = text_of(client.get(PREVIEW, {"queue": "RENDITION", "others": "PAGECOUNT"}))
        assert "console:ada" in page
        asked = {"queue": ["RENDITION", "PAGECOUNT"]}
        assert client.post(POLL, asked | {"reason": " "}).status_code == 400
        assert client.post(POLL, {"others": " , ", "reason": "r"}).status_code == 400
        assert set(remaining_messages().values()) == {None}
        answer = client.post(POLL, asked | {"reason": "a test"}, follow=True)
        assert answer.redirect_chain == [(f"/cp-queue/messages/{guid_of('A')}/", 302)]
        assert "The message is reserved for you" in text_of(answer)
        assert remaining_messages() == {guid_of("A"): "console:ada", guid_of("B"): None}
        entry = AuditEntry.objects.get(subject=guid_of("A"))
        assert (entry.action, entry.reason, entry.details["queue"]) == (
            "poll_cp_queue",
            "a test",
            "RENDITION",
        )
        assert "No message" in text_of(client.post(POLL, asked | {"reason": "again"}, follow=True))

    def test_allows_pickups_to_no_one_else(self):
        store("A")
        client = client_of("support")
        assert "Pick up message" not in text_of(client.get(PREVIEW, {"queue": "RENDITION"}))
        assert client.post(POLL, {"queue": "RENDITION", "reason": "r"}).status_code == 403
        assert remaining_messages() == {guid_of("A"): None}

    def test_asks_first(self):
        answer = client_of("support").get(PREVIEW)
        assert (answer.status_code, answer.context["is_asked"], "preview" in answer.context) == (
            200,
            False,
            False,
        )
        assert "Show next message" in text_of(answer)
