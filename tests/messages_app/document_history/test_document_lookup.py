"""A pasted id and the page of a key find documents of the history, and those in doubt."""

import pytest

from messages_app.document_history import document_lookup
from messages_app.document_history.document_lookup import look_up
from messages_app.document_history.models import DocumentInDoubt
from tests.support.histories import make_trigger, store_both, store_entry
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

ENTRIES = "/document-history/entries/"


def make_doubt(identifier: str, trigger_id: str = "t-1") -> DocumentInDoubt:
    return DocumentInDoubt.objects.create(
        trigger_id=trigger_id, document_uuid=identifier, identifier=identifier, deliveries=1
    )


@pytest.fixture(autouse=True)
def triggers() -> None:
    make_trigger("t-1")
    make_trigger("t-2")


class TestLookUp:
    def test_finds_the_document_of_each_trigger_with_its_state(self):
        store_both(trigger_id="t-1", uuid="N 47/11")
        store_entry("processing", trigger_id="t-2", uuid="N 47/11")
        store_entry("processing", trigger_id="t-1", uuid="N 47/112")
        (kind,) = look_up("N 47/11")
        assert (kind.name, kind.more, kind.list_url) == ("document", False, f"{ENTRIES}?uuid=N+47%2F11")
        assert {(hit.url, hit.name, hit.about) for hit in kind.hits} == {
            (f"{ENTRIES}?trigger_id=t-1&uuid=N+47%2F11", "N 47/11", "trigger t-1 · processed"),
            (f"{ENTRIES}?trigger_id=t-2&uuid=N+47%2F11", "N 47/11", "trigger t-2 · undetermined"),
        }

    def test_finds_documents_in_doubt_newest_first(self):
        first, second = make_doubt("N4711"), make_doubt("N4711", "t-2")
        make_doubt("N47110")
        (kind,) = look_up("N4711")
        assert [(hit.url, hit.name, hit.about) for hit in kind.hits] == [
            (f"/document-history/in-doubt/{second.pk}/", "N4711", "t-2 · open"),
            (f"/document-history/in-doubt/{first.pk}/", "N4711", "t-1 · open"),
        ]

    def test_says_that_there_are_more(self, monkeypatch):
        monkeypatch.setattr(document_lookup, "MAX_HITS", 1)
        for trigger_id in ("t-1", "t-2"):
            store_entry("processing", trigger_id=trigger_id, uuid="N4711")
            make_doubt("N4711", trigger_id)
        assert [(kind.name, len(kind.hits), kind.more) for kind in look_up("N4711")] == [
            ("document", 1, True),
            ("document_in_doubt", 1, True),
        ]

    @pytest.mark.parametrize("text", ["", "N47", "n4711", "N4711 ", "N\0", "N" * 301])
    def test_finds_nothing_for_another_id(self, text):
        store_entry("processing", trigger_id="t-1", uuid="N4711")
        make_doubt("N4711")
        assert list(look_up(text)) == []


def test_the_page_of_a_key_shows_a_document_with_this_id():
    store_both(trigger_id="t-1", uuid="N4711")
    page = text_of(client_of("support").get("/keys/N4711/"))
    assert f'href="{ENTRIES}?trigger_id=t-1&amp;uuid=N4711"' in page
    assert "Documents" in page
