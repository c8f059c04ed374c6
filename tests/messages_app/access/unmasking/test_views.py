from urllib.parse import quote

import pytest
from django.test import Client

from messages_app.access.models import UserSession
from messages_app.audit.models import AuditEntry
from messages_app.core.reason_form import MAX_REASON
from tests.support.factories import make_message
from tests.support.page_client import client_of, reader_of, text_of

pytestmark = pytest.mark.django_db

# An address that no form of the console leads to.
FOREIGN = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "javascript:alert(1)",
    "messages/",
    "http:///evil.example",
    "",
    "/" + "x" * 8000,
]


@pytest.fixture
def reader() -> Client:
    return client_of("support", "view_payload")


def is_revealed() -> bool:
    return UserSession.objects.exclude(revealed_until=None).exists()


class TestReveal:
    def test_shows_values_and_goes_back_to_the_content(self, reader):
        place = "/messages/7/payload/?view=raw#source-payload-7"
        answer = reader.post("/reveal/", {"reason": " a call ", "next": place})
        assert (answer.status_code, answer.url) == (302, place)
        assert is_revealed()
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.reason, entry.actor) == ("reveal_values", "a call", "ada")

    @pytest.mark.parametrize(
        ("reason", "says"),
        [
            ("", "Enter a reason. It is recorded in the audit log."),
            (" \t ", "Enter a reason. It is recorded in the audit log."),
            (None, "Enter a reason. It is recorded in the audit log."),
            ("r" * (MAX_REASON + 1), f"At most {MAX_REASON} characters."),
            ("a\0b", "Null characters are not allowed."),
        ],
    )
    def test_requires_a_reason(self, reader, reason, says):
        sent = {"next": "/jobs/"} | ({} if reason is None else {"reason": reason})
        answer = reader.post("/reveal/", sent)
        assert answer.status_code == 400
        assert says in text_of(answer)
        assert 'name="next" value="/jobs/"' in text_of(answer)
        assert not is_revealed()
        assert not AuditEntry.objects.exists()

    def test_accepts_the_longest_reason(self, reader):
        assert reader.post("/reveal/", {"reason": "ž" * MAX_REASON}).status_code == 302

    @pytest.mark.parametrize("address", FOREIGN)
    def test_redirects_only_within_the_console(self, reader, address):
        page = reader.get("/reveal/", {"next": address})
        assert page.context["address"] == "/"
        assert reader.post("/reveal/", {"reason": "r", "next": address}).url == "/"
        assert reader.post("/reveal/end/", {"next": address}).url == "/"

    @pytest.mark.parametrize("address", ["/messages/\r\nX: y", "/messages/\0"])
    def test_writes_no_header_from_the_sender(self, reader, address):
        answer = reader.post("/reveal/", {"reason": "r", "next": address})
        assert answer.status_code == 302
        assert answer.url == "/" or answer.url == quote(address, safe="/:")

    def test_is_refused_without_the_right_and_kept_in_the_audit(self):
        client = client_of("admin")
        assert client.get("/reveal/").status_code == 403
        assert client.post("/reveal/", {"reason": "r"}).status_code == 403
        entries = AuditEntry.objects.values_list("action", "outcome")
        assert list(entries) == [("reveal_values", "refused")] * 2
        assert not is_revealed()

    def test_goes_back_if_there_is_nothing_to_ask(self, reader, settings):
        reader.post("/reveal/", {"reason": "r"})
        assert reader.get("/reveal/?next=/jobs/").url == "/jobs/"
        assert reader.post("/reveal/", {"next": "/jobs/"}).url == "/jobs/"
        settings.REVEAL_MINUTES = 0
        assert client_of("view_payload", username="bob").get("/reveal/?next=/jobs/").url == "/jobs/"
        assert AuditEntry.objects.count() == 1

    def test_shows_for_how_long(self, reader, settings):
        assert "for 15 minutes" in text_of(reader.get("/reveal/"))
        settings.REVEAL_MINUTES = 1
        assert "for 1 minute in this session" in text_of(reader.get("/reveal/"))

    def test_leads_to_the_log_in(self, client):
        assert client.get("/reveal/").url == "/login/?next=/reveal/"
        assert client.post("/reveal/", {"reason": "r"}).url == "/login/?next=/reveal/"
        assert client.post("/reveal/end/").url.startswith("/login/")

    def test_requires_the_csrf_token(self, reader):
        reader.handler.enforce_csrf_checks = True
        assert reader.post("/reveal/", {"reason": "r"}).status_code == 403
        assert reader.post("/reveal/end/").status_code == 403
        assert not is_revealed()


class TestEnd:
    def test_masks_immediately_and_goes_back(self):
        reader, message = reader_of("support"), make_message()
        answer = reader.post("/reveal/end/", {"next": f"/messages/{message.pk}/payload/"})
        assert answer.url == f"/messages/{message.pk}/payload/"
        assert "Lovelace" not in text_of(reader.get(answer.url))
        assert AuditEntry.objects.filter(action="mask_values", actor="ada").count() == 1

    def test_changes_nothing_if_values_are_masked(self):
        assert client_of().post("/reveal/end/").url == "/"
        assert not AuditEntry.objects.exists()

    def test_accepts_only_post(self):
        assert reader_of("support").get("/reveal/end/").status_code == 405
        assert is_revealed()


class TestForm:
    def test_returns_to_the_content_of_the_page_around_a_part(self, reader):
        message = make_message()
        headers = {"HX-Request": "true", "Referer": f"http://testserver/messages/{message.pk}/?state=FAILED"}
        part = text_of(reader.get(f"/messages/{message.pk}/payload/", headers=headers))
        place = f"/messages/{message.pk}/?state=FAILED#/messages/{message.pk}/payload/"
        assert f'name="next" value="{place}"' in part
        page = text_of(reader.get(f"/messages/{message.pk}/"))
        assert f'id="/messages/{message.pk}/payload/"' in page

    def test_returns_to_the_same_view_of_a_page(self, reader):
        address = f"/messages/{make_message().pk}/payload/?find=customer"
        page = text_of(reader.get(address))
        box = address.split("/")[2]
        assert f'name="next" value="{address}#source-payload-{box}"' in page
        assert f'id="source-payload-{box}"' in page

    def test_replaces_the_text_about_the_permission(self, reader):
        address, words = (
            f"/messages/{make_message().pk}/payload/",
            "You need the permission view_payload to see them.",
        )
        assert words in text_of(client_of("support", username="bob").get(address))
        assert words not in text_of(reader.get(address))

    def test_is_offered_if_a_content_is_hidden_completely(self, reader):
        message = make_message(payload="not xml")
        assert 'action="/reveal/"' in text_of(reader.get(f"/messages/{message.pk}/payload/"))
