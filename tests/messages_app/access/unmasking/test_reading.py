from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db.models import F, Q
from django.test import Client

from messages_app.access import roles
from messages_app.access.models import UserSession
from messages_app.access.sessions.store import SessionStore
from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.messages.listing.models import SavedView
from messages_app.shared.text_safety import MASK
from tests.messages_app.access.sessions.test_store import key_of
from tests.messages_app.document_history.views.test_in_doubt import doubt
from tests.messages_app.jobs.views.create.test_views import answer, seal_of
from tests.support.factories import PASSWORD, make_message, make_request, make_response, make_user
from tests.support.page_client import client_of, reader_of, show_values, text_of
from tests.support.stores import store

pytestmark = pytest.mark.django_db

SEARCH = (
    "payload_contains=Ada&receive_timestamp_from=2026-11-01T00:00Z&receive_timestamp_to=2026-11-21T00:00Z"
)
EXPORT = "/jobs/new/?kind=export&service_name=billing"


def pages() -> list[str]:
    """Store contents of every kind, and return the addresses of the pages that show one."""
    message = make_message(state="FAILED")
    make_message(state="OK", payload="<order><id>8</id></order>")
    request = make_request(message)
    response, line = make_response(request), doubt(document={"customer": "Ada Lovelace"})
    here = f"/messages/{message.pk}"
    return [
        f"{here}/payload/",
        f"{here}/payload/?view=raw",
        f"{here}/envelope/",
        f"{here}/requests/{request.pk}/",
        f"{here}/responses/{response.pk}/",
        f"{here}/compare/",
        f"/document-history/in-doubt/{line.pk}/document/",
        f"/message-store/messages/{store([{'name': 'Ada Lovelace'}])}/data/",
    ]


def downloads() -> list[str]:
    """Store contents, and return the addresses of their downloads."""
    return [
        f"/messages/{make_message().pk}/payload/download/",
        f"/message-store/messages/{store([{'name': 'Ada'}])}/data/download/",
    ]


class TestSessionReader:
    def test_masks_every_content_until_there_is_a_reason(self):
        client, addresses = client_of("operator", "view_payload"), pages()
        for address in addresses:
            page = text_of(client.get(address))
            assert "Lovelace" not in page, address
            assert MASK in page or "masked" in page, address
            assert 'action="/reveal/"' in page, address
        views = AuditEntry.objects.filter(Q(action__startswith="view_") | Q(action="reveal_values"))
        assert not views.exists()
        show_values(client)
        for address in addresses:
            page = text_of(client.get(address))
            assert "Lovelace" in page, address
            assert 'action="/reveal/"' not in page, address
            assert "Values are shown until" in page
        actions = {"view_payload", "view_envelope", "view_request", "view_response", "view_document"}
        assert set(views.values_list("action", flat=True)) == {*actions, "view_stored_data", "reveal_values"}

    def test_offers_nothing_to_users_who_may_not_read_them(self):
        client = client_of("operator")
        for address in (*pages(), "/messages/", EXPORT):
            page = text_of(client.get(address))
            assert "Lovelace" not in page
            assert "/reveal/" not in page

    def test_masks_for_a_superuser_too(self):
        client = Client()
        client.force_login(make_user(is_superuser=True))
        address = pages()[0]
        assert "Lovelace" not in text_of(client.get(address))
        show_values(client)
        assert "Lovelace" in text_of(client.get(address))

    def test_sends_nothing_unmasked_and_leads_to_the_reason(self):
        client = client_of("operator", "view_payload")
        for address in downloads():
            refused = client.get(address)
            assert refused.status_code == 403
            assert f"/reveal/?next={address.replace('/', '%2F')}" in text_of(refused)
        show_values(client)
        assert {client.get(address).status_code for address in downloads()} == {200}

    def test_answers_as_for_users_without_the_permission(self):
        make_message()
        SavedView.objects.create(owner=make_user(username="eve"), name="n", query=SEARCH, shared=True)
        masked, without = client_of("support", "view_payload"), client_of("support", username="bob")
        for address, status in (
            (f"/messages/?{SEARCH}", 400),
            ("/messages/?q=payload:Ada", 400),
            (f"/messages/export/?format=csv&{SEARCH}", 400),
            (f"/messages/count/?{SEARCH}", 400),
            (f"{EXPORT}&{SEARCH}", 400),
            ("/messages/", 200),
        ):
            for client in (masked, without):
                assert client.get(address, follow=True).status_code == status, address
        assert "n" not in [tab.name for tab in masked.get("/messages/").context["tabs"]]
        show_values(masked)
        assert "n" in [tab.name for tab in masked.get("/messages/").context["tabs"]]

    def test_explains_what_allows_a_search_of_payloads(self):
        masked, without = client_of("support", "view_payload"), client_of("support", username="bob")
        page = text_of(masked.get(f"/messages/?{SEARCH}"))
        assert "Payload contains: values are masked in this session. Show values first." in page
        page = text_of(without.get(f"/messages/?{SEARCH}"))
        assert "Payload contains: You need the permission view_payload. Ask an administrator." in page
        assert "Unknown parameter" not in page
        page = text_of(without.get("/messages/?q=payload:Ada", follow=True))
        assert "Payload contains: You need the permission view_payload. Ask an administrator." in page

    def test_finds_in_payloads_only_while_they_are_shown(self):
        client = client_of("support", "view_payload")
        assert client.get(f"/messages/?{SEARCH}").status_code == 400
        assert "payload" not in text_of(client.get("/messages/suggest/?q=payl"))
        show_values(client)
        assert client.get(f"/messages/?{SEARCH}").status_code == 200
        assert "payload" in text_of(client.get("/messages/suggest/?q=payl"))

    def test_offers_to_show_them_before_payloads_are_corrected(self):
        client = client_of("operator", "view_payload", "edit_payload")
        button = 'c-button-main" href="/reveal/?next=%2Fjobs%2Fnew%2F%3Fkind%3Dresend%26state%3DFAILED"'
        assert button in text_of(client.get("/jobs/new/?kind=resend&state=FAILED"))
        show_values(client)
        assert "/reveal/?next=" not in text_of(client.get("/jobs/new/?kind=resend&state=FAILED"))

    def test_makes_an_export_with_payloads_only_while_they_are_shown(self):
        make_message(service_name="billing")
        client = reader_of("support")
        page = client.get(EXPORT)
        hide()
        sent = {"shown": seal_of(page), "reason": "r", "format": "csv", "payload": "on"}
        answered = client.post("/jobs/new/", sent)
        assert answered.status_code == 400
        assert "Payloads are masked for you" in text_of(answered)
        assert not Job.objects.exists()
        show_values(client)
        assert answer(client, EXPORT, format="csv", payload="on").status_code == 302
        assert Job.objects.get(options__payload=True).created_by == "ada"

    def test_does_not_change_other_permissions(self):
        client = client_of("operator", "view_payload")
        user = client.get("/messages/").wsgi_request.user
        assert isinstance(user, get_user_model())
        assert user == get_user_model().objects.get(username="ada")
        assert user.has_perms([roles.CAN_RESTART, roles.CAN_CANCEL])
        assert not user.has_perm(roles.CAN_ARCHIVE)
        assert not user.has_perms([roles.CAN_RESTART, roles.CAN_VIEW_PAYLOAD])
        show_values(client)
        user = client.get("/messages/").wsgi_request.user
        assert user.has_perms([roles.CAN_RESTART, roles.CAN_VIEW_PAYLOAD])

    def test_asks_for_no_reason_if_the_setting_is_0(self, settings):
        settings.REVEAL_MINUTES = 0
        client = client_of("operator", "view_payload")
        for address in pages():
            page = text_of(client.get(address))
            assert "Lovelace" in page, address
            assert "reveal" not in page
        assert "Lovelace" not in text_of(client_of("operator", username="bob").get(address))


def hide() -> None:
    """End all reveals."""
    UserSession.objects.update(revealed_until=F("last_used_at") - timedelta(hours=1))


class TestReading:
    @pytest.fixture
    def address(self) -> str:
        return f"/messages/{make_message().pk}/payload/"

    @pytest.fixture
    def client(self) -> Client:
        return reader_of("support")

    def is_shown(self, client: Client, address: str) -> bool:
        return "Lovelace" in text_of(client.get(address))

    def test_ends_on_its_own(self, client, address):
        UserSession.objects.update(revealed_until=F("revealed_until") - timedelta(minutes=14))
        assert self.is_shown(client, address)
        UserSession.objects.update(revealed_until=F("revealed_until") - timedelta(minutes=1))
        assert not self.is_shown(client, address)

    def test_ends_with_the_right(self, client, address):
        Group.objects.get(name="view_payload").user_set.clear()
        assert not self.is_shown(client, address)
        assert "Values are shown" not in text_of(client.get(address))
        assert "/reveal/" not in text_of(client.get(address))

    def test_ends_with_the_log_out(self, client, address):
        client.post("/logout/")
        client.post("/login/", {"username": "ada", "password": PASSWORD})
        assert client.get("/messages/").status_code == 200
        assert not self.is_shown(client, address)

    def test_ends_with_another_log_in(self, client, address):
        client.force_login(make_user("support", "view_payload", username="bob"))
        assert not self.is_shown(client, address)

    def test_ends_with_another_key(self, client, address):
        session = SessionStore(key_of(client))
        assert session.revealed_until
        session.cycle_key()
        assert session.revealed_until is None
        assert UserSession.objects.get().revealed_until is None

    def test_is_of_one_session(self, client, address):
        other = Client()
        other.force_login(get_user_model().objects.get(username="ada"))
        show_values(client)
        assert self.is_shown(client, address)
        assert not self.is_shown(other, address)

    def test_lasts_no_longer_than_the_session(self, client, address):
        UserSession.objects.update(ends_at=F("began_at"))
        assert client.get(address).url.startswith("/login/")
