import pytest

from tests.page_client import client_of, text_of
from tests.queues import guid_of, left, store

pytestmark = pytest.mark.django_db
PREVIEW = "/cp-queue/preview/"


class TestPreview:
    def test_shows_what_a_pickup_would_take_and_delete(self):
        store("A", age="1 hour")
        store("B")
        page = text_of(client_of("support").get(PREVIEW, {"queue": "RENDITION", "others": "OCR"}))
        assert f"/cp-queue/messages/{guid_of('B')}/" in page
        assert "1 other free message of the object" in page
        assert set(left().values()) == {None}

    def test_says_that_nothing_is_free(self):
        page = text_of(client_of("support").get(PREVIEW, {"queue": "RENDITION"}))
        assert "An empty answer" in page

    @pytest.mark.parametrize("asked", [{"others": ","}, {"others": "x" * 129}, {"queue": "a\0b"}])
    def test_refuses_what_is_no_queue(self, asked):
        assert client_of("support").get(PREVIEW, asked).status_code == 400

    def test_asks_first(self):
        assert "What would it get" in text_of(client_of("support").get(PREVIEW))
