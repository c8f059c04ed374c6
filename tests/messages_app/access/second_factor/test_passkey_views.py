"""Passkeys over HTTP: added, used at the log-in and for changes, and refused."""

import json
import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from messages_app.access.models import LoginFailure
from messages_app.access.providers.models import ProviderAccount
from messages_app.access.second_factor import devices
from messages_app.access.second_factor.models import Passkey
from messages_app.access.second_factor.views import SHOWN
from messages_app.access.throttling import FREE_TRIES
from messages_app.audit.models import AuditEntry
from tests.messages_app.access.second_factor.authenticators import Authenticator, change_part
from tests.messages_app.access.second_factor.factors import code_of, codes_in, enrol, is_in, next_code_of
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import client_of, notices_of, text_of

pytestmark = pytest.mark.django_db

ORIGIN = "https://testserver"
ADA = {"username": "ada", "password": PASSWORD}
OPTIONS = re.compile(r'data-new-passkey="([^"]+)"')
NEW = "/second-factor/passkeys/new/"
ADD = "/second-factor/passkeys/add/"
CHANGE = "/second-factor/change/"
CHALLENGE = "/login/passkey/"


@pytest.fixture(autouse=True)
def _origin(settings):
    settings.PASSKEY_ORIGINS = [ORIGIN]


@pytest.fixture
def ada() -> User:
    return make_user("admin")


def options_in(response) -> dict:
    return json.loads(unescape(OPTIONS.search(response.content.decode())[1]))


def add_key(client: Client, key: Authenticator, *, name: str = "Laptop", **proof: str):
    """Add a passkey as a browser does. Return the answer to the last step."""
    asked = client.post(NEW, {"name": name, **proof})
    assert asked.status_code == 200, text_of(asked)
    return client.post(ADD, {"name": name, "passkey": key.create(options_in(asked), origin=ORIGIN)})


def answer_of(client: Client, key: Authenticator, **wrong: object) -> str:
    return key.prove(client.post(CHALLENGE).json(), **{"origin": ORIGIN} | wrong)


@pytest.fixture
def key(ada) -> Authenticator:
    key = Authenticator()
    client = Client()
    client.force_login(ada)
    assert add_key(client, key, password=PASSWORD).status_code == 200
    return key


class TestAdding:
    def test_leads_from_the_password_through_the_browser_to_recovery_codes(self, client, ada):
        client.force_login(ada)
        elsewhere = Client()
        elsewhere.force_login(ada)
        page = text_of(add_key(client, Authenticator(), password=PASSWORD))
        assert len(set(codes_in(page))) == 10
        assert (is_in(client), is_in(elsewhere), client.session[SHOWN]) == (True, False, "passkey")
        shown = text_of(client.get("/second-factor/"))
        assert "Second factor is on" in shown
        assert "Laptop" in shown

    def test_of_another_key_needs_a_passkey_and_keeps_the_recovery_codes_and_sessions(self, client, ada, key):
        client.force_login(ada)
        elsewhere = Client()
        elsewhere.force_login(ada)
        before = set(ada.recovery_codes.values_list("pk", flat=True))
        asked = client.post(NEW, {"name": "Phone", "password": PASSWORD})
        assert (asked.status_code, "Confirm who you are" in text_of(asked)) == (403, True)
        added = add_key(client, Authenticator(), name="Phone", passkey=answer_of(client, key))
        assert (added.status_code, notices_of(added)) == (302, ["Passkey Phone added."])
        assert set(ada.recovery_codes.values_list("pk", flat=True)) == before
        assert is_in(elsewhere)

    def test_may_be_confirmed_by_a_code_of_the_app(self, client, ada):
        device, _ = enrol(ada)
        client.force_login(ada)
        assert add_key(client, Authenticator(), code=next_code_of(device)).status_code == 302
        assert Passkey.objects.get().name == "Laptop"

    def test_needs_the_right_password_and_a_name(self, client, ada):
        client.force_login(ada)
        wrong = client.post(NEW, {"name": "x", "password": "wrong"})
        assert (wrong.status_code, "Incorrect password." in text_of(wrong)) == (400, True)
        for blank in (" ", "\u200b\u2060"):
            nameless = client.post(NEW, {"name": blank, "password": PASSWORD})
            assert (nameless.status_code, "Enter a name" in text_of(nameless)) == (400, True)
        assert client.post(NEW, {"name": "x" * 61, "password": PASSWORD}).status_code == 400

    def test_shows_invisible_characters_of_its_name(self, client, ada):
        client.force_login(ada)
        add_key(client, Authenticator(), name="\u202e<b>\u200b", password=PASSWORD)
        page = client.get("/second-factor/").content.decode()
        assert "U+202E</span>&lt;b&gt;" in page
        assert "\u202e" not in page.partition("u-visually-hidden")[0]

    def test_refuses_an_answer_without_a_confirmation_and_records_it(self, client, ada, key):
        client.force_login(ada)
        answer = Authenticator().create(
            client.post(CHALLENGE).json() | {"rp": {"id": "testserver"}}, origin=ORIGIN
        )
        refused = client.post(ADD, {"name": "x", "passkey": answer})
        assert refused.status_code == 400
        assert Passkey.objects.count() == 1
        entry = AuditEntry.objects.get(action="add_passkey", outcome="refused")
        assert entry.details == {"refusal": "passkey_expired"}

    def test_counts_wrong_answers(self, client, ada):
        client.force_login(ada)
        for _ in range(FREE_TRIES):
            assert client.post(ADD, {"name": "x", "passkey": "{}"}).status_code == 400
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        answer = client.post(ADD, {"name": "x", "passkey": "{}"})
        assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)

    def test_is_not_offered_at_an_address_of_the_console(self, client, ada, settings):
        settings.PASSKEY_ORIGINS = ["https://hub.example.org"]
        client.force_login(ada)
        assert "Open it by its host name" in text_of(client.get("/second-factor/"))
        refused = client.post(NEW, {"name": "x", "password": PASSWORD})
        assert (refused.status_code, "Passkeys do not work" in text_of(refused)) == (409, True)

    def test_is_not_for_users_of_an_identity_provider(self, client, ada):
        ProviderAccount.objects.create(user=ada, issuer="https://a.example", subject="1")
        client.force_login(ada)
        page = text_of(client.get("/second-factor/"))
        assert "which asks for your second factor" in page
        assert "Add a passkey" not in page
        for address in (NEW, ADD, CHANGE, "/second-factor/start/", "/second-factor/confirm/"):
            assert client.post(address, {"name": "x", "password": PASSWORD}).status_code == 409
        assert not devices.has_second_factor(ada)

    def test_is_off_with_the_second_factor(self, client, ada, settings):
        settings.SECOND_FACTOR = "off"
        client.force_login(ada)
        for address in (NEW, ADD, CHALLENGE):
            assert client.post(address).status_code == 404


class TestLogIn:
    def test_accepts_a_passkey_after_the_password(self, client, ada, key):
        assert client.post("/login/", ADA).url == "/login/code/?next="
        assert not is_in(client)
        assert "Use a passkey" in text_of(client.get("/login/code/"))
        answer = answer_of(client, key)
        let_in = client.post("/login/code/", {"passkey": answer, "next": "/jobs/"})
        assert let_in.url == "/jobs/"
        assert is_in(client)
        entry = AuditEntry.objects.filter(action="log_in").last()
        assert entry.details == {"second_factor": "passkey"}

    def test_gives_no_challenge_without_the_password(self, client, ada, key):
        assert client.post(CHALLENGE).status_code == 401
        assert client.get(CHALLENGE).status_code == 405
        client.handler.enforce_csrf_checks = True
        client.force_login(ada)
        assert client.post(CHALLENGE).status_code == 403

    def test_accepts_no_answer_twice_nor_in_another_browser(self, client, ada, key):
        client.post("/login/", ADA)
        answer = answer_of(client, key)
        thief = Client()
        thief.post("/login/", ADA)
        assert thief.post("/login/code/", {"passkey": answer}).status_code == 200
        assert not is_in(thief)
        client.post("/login/code/", {"passkey": answer})
        assert is_in(client)
        client.post("/logout/")
        client.post("/login/", ADA)
        client.post("/login/code/", {"passkey": answer})
        assert not is_in(client)

    def test_records_why_a_passkey_was_refused(self, client, ada, key):
        client.post("/login/", ADA)
        evil = answer_of(client, key, origin="https://evil.example")
        tampered = change_part(answer_of(client, key), "signature", lambda text: text[:-1] + b"\0")
        foreign = answer_of(client, Authenticator())
        for answer in (evil, tampered, foreign, foreign):
            page = client.post("/login/code/", {"passkey": answer})
            assert (page.status_code, 'role="alert"' in text_of(page) or "passkey" in text_of(page)) == (
                200,
                True,
            )
        assert not is_in(client)
        refusals = AuditEntry.objects.filter(action="log_in", outcome="refused").order_by("pk")
        assert list(refusals.values_list("details__refusal", flat=True)) == [
            "wrong_passkey",
            "wrong_passkey",
            "unknown_passkey",
            "passkey_expired",
        ]

    def test_slows_wrong_passkeys_down_as_wrong_codes(self, client, ada, key):
        client.post("/login/", ADA)
        for _ in range(FREE_TRIES):
            client.post("/login/code/", {"passkey": answer_of(client, key, origin="https://evil.example")})
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        refused = client.post("/login/code/", {"passkey": answer_of(client, key)})
        assert (refused.status_code, "Retry-After" in refused.headers) == (429, True)
        assert not is_in(client)

    def test_of_a_user_with_an_app_and_a_passkey_accepts_either(self, client, ada, key):
        client.force_login(ada)
        client.post("/second-factor/start/", {"passkey": answer_of(client, key)})
        device = devices.unconfirmed_device_of(ada)
        assert client.post("/second-factor/confirm/", {"code": code_of(device)}).status_code == 302
        for proof in ("code", "passkey"):
            browser = Client()
            browser.post("/login/", ADA)
            answer = next_code_of(device) if proof == "code" else answer_of(browser, key)
            browser.post("/login/code/", {proof: answer})
            assert is_in(browser), proof

    def test_says_at_another_host_where_the_passkeys_are(self, client, ada, key, settings):
        Passkey.objects.update(host="hub.example.org")
        client.post("/login/", ADA)
        assert "Your passkeys work only at hub.example.org" in text_of(client.get("/login/code/"))
        assert client.post(CHALLENGE).status_code == 409


class TestChange:
    def test_removes_a_passkey_after_a_proof_and_then_the_codes_with_the_last(self, client, ada, key):
        client.force_login(ada)
        action = {"action": f"remove-passkey {Passkey.objects.get().pk}"}
        asked = client.post(CHANGE, action)
        assert (asked.status_code, "Confirm who you are" in text_of(asked)) == (403, True)
        assert f'value="{action["action"]}"' in asked.content.decode()
        refused = client.post(CHANGE, action | {"passkey": answer_of(client, Authenticator())})
        assert refused.status_code == 400
        assert Passkey.objects.exists()
        done = client.post(CHANGE, action | {"passkey": answer_of(client, key)})
        assert notices_of(done) == ["Passkey Laptop removed. You have no second factor now."]
        assert not Passkey.objects.exists()
        assert not ada.recovery_codes.exists()
        assert SHOWN not in client.session

    def test_does_not_remove_the_passkey_of_another_user(self, client, ada, key):
        eve = client_of("admin", username="eve")
        own = Authenticator()
        add_key(eve, own, password=PASSWORD)
        action = {"action": f"remove-passkey {ada.passkeys.get().pk}"}
        assert eve.post(CHANGE, action | {"passkey": answer_of(eve, own)}).status_code == 404
        assert ada.passkeys.exists()

    @pytest.mark.parametrize(
        "action", ["", "x", "remove-passkey", "remove-passkey x", "remove-passkey 9" * 9]
    )
    def test_refuses_an_unknown_action(self, client, ada, key, action):
        client.force_login(ada)
        sent = {"action": action, "passkey": answer_of(client, key)}
        assert client.post(CHANGE, sent).status_code == 404

    def test_accepts_no_answer_that_was_made_for_the_log_in(self, client, ada, key):
        client.post("/login/", ADA)
        for_log_in = answer_of(client, key)
        client.post("/login/code/", {"passkey": answer_of(client, key)})
        refused = client.post(CHANGE, {"action": "renew", "passkey": for_log_in})
        assert refused.status_code == 400

    def test_removes_the_app_and_keeps_the_passkeys(self, client, ada, key):
        client.force_login(ada)
        client.post("/second-factor/start/", {"passkey": answer_of(client, key)})
        device = devices.unconfirmed_device_of(ada)
        client.post("/second-factor/confirm/", {"code": code_of(device)})
        done = client.post(CHANGE, {"action": "remove", "passkey": answer_of(client, key)})
        assert notices_of(done)[-1] == "App removed."
        assert (devices.device_of(ada), devices.has_second_factor(ada)) == (None, True)
        assert ada.recovery_codes.exists()


class TestRequired:
    @pytest.fixture(autouse=True)
    def _required(self, settings):
        settings.SECOND_FACTOR = "required"

    def test_counts_a_passkey_as_a_second_factor(self, client, ada):
        client.post("/login/", ADA)
        assert client.get("/messages/").url == "/second-factor/"
        add_key(client, Authenticator(), password=PASSWORD)
        assert client.get("/messages/").status_code == 200

    def test_asks_administrators_who_logged_in_before_for_their_passkey(self, client, ada, key):
        client.force_login(ada)
        assert client.get("/messages/").url == "/login/?next=/messages/"


class TestAdministrators:
    def test_remove_all_passkeys_of_a_user_with_a_reason(self, ada, key):
        root = Client()
        root.force_login(make_user(is_superuser=True, username="root"))
        assert "on, 1 passkey" in text_of(root.get(f"/users/{ada.pk}/"))
        address = f"/users/{ada.pk}/reset-second-factor/"
        root.post(address, {"reason": "lost", "confirm-password": PASSWORD})
        assert not Passkey.objects.exists()
        entry = AuditEntry.objects.get(action="remove_second_factor")
        assert entry.details == {"user": "ada", "passkeys": 1}
        assert (entry.actor, entry.reason, entry.subject) == ("root", "lost", str(ada.pk))
