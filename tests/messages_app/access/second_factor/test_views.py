import pytest
from django.test import Client

from messages_app.access.models import LoginFailure, UserSession
from messages_app.access.second_factor import devices
from messages_app.access.second_factor.views import SHOWN
from messages_app.access.throttling import FREE_TRIES
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from tests.messages_app.access.second_factor.factors import (
    code_of,
    codes_in,
    enrol,
    is_in,
    next_code_of,
    wrong_code_of,
)
from tests.support.api_client import caller
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

ADA = {"username": "ada", "password": PASSWORD}


@pytest.fixture
def ada():
    return make_user("admin")


def show_password(client: Client, *, next_page: str = "") -> object:
    return client.post("/login/", ADA | {"next": next_page})


def show_code(client: Client, code: str, *, next_page: str = "") -> object:
    return client.post("/login/code/", {"code": code, "next": next_page})


class TestLogIn:
    def test_asks_only_users_with_an_app_for_a_code(self, client, ada):
        assert show_password(client).url == "/"
        assert AuditEntry.objects.get(action="log_in").details == {}
        client.logout()
        device, _ = enrol(ada)
        assert show_password(client, next_page="/jobs/").url == "/login/code/?next=%2Fjobs%2F"
        assert not is_in(client)
        assert AuditEntry.objects.filter(action="log_in").count() == 1
        assert show_code(client, next_code_of(device), next_page="/jobs/").url == "/jobs/"
        assert is_in(client)
        assert AuditEntry.objects.filter(action="log_in").last().details == {"second_factor": "code"}

    def test_accepts_a_recovery_code_and_records_it_in_the_audit(self, client, ada):
        _, codes = enrol(ada)
        show_password(client)
        show_code(client, codes[0])
        assert is_in(client)
        entry = AuditEntry.objects.filter(action="log_in").last()
        assert entry.details == {"second_factor": "recovery_code"}

    def test_changes_the_session_id_with_each_step(self, client, ada):
        device, _ = enrol(ada)
        show_password(client)
        half = client.cookies["sessionid"].value
        show_code(client, next_code_of(device))
        assert client.cookies["sessionid"].value != half
        thief = Client()
        thief.cookies["sessionid"] = half
        assert not is_in(thief)

    def test_shows_no_second_step_without_the_first(self, client, ada):
        device, _ = enrol(ada)
        assert client.get("/login/code/").url == "/login/"
        assert show_code(client, next_code_of(device)).url == "/login/"
        assert not is_in(client)

    @pytest.mark.parametrize("changed", ["password", "is_active"])
    def test_forgets_the_first_step_when_the_account_changes(self, client, ada, changed):
        device, _ = enrol(ada)
        show_password(client)
        ada.set_password("quite another story") if changed == "password" else setattr(ada, changed, False)
        ada.save()
        assert show_code(client, next_code_of(device)).url == "/login/"
        assert not is_in(client)

    def test_redirects_only_within_this_site(self, client, ada):
        device, _ = enrol(ada)
        assert show_password(client, next_page="//evil.example").url == "/login/code/?next="
        assert show_code(client, next_code_of(device), next_page="//evil.example").url == "/"

    def test_slows_wrong_codes_down_as_wrong_passwords(self, client, ada):
        device, codes = enrol(ada)
        for number in range(FREE_TRIES):
            if number % 2:
                show_password(client)  # a correct password does not reset wrong codes
            elif number == 0:
                show_password(client)
            answer = show_code(client, wrong_code_of(device))
            assert answer.status_code == 200
            assert "Invalid or expired code" in text_of(answer)
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        for code in (next_code_of(device), codes[0]):
            refused = show_code(client, code)
            assert refused.status_code == 429
            assert "Retry-After" in refused.headers
        assert not is_in(client)
        refusals = AuditEntry.objects.filter(action="log_in", outcome="refused", actor="ada")
        told = list(refusals.order_by("pk").values_list("details__refusal", flat=True))
        assert told == ["wrong_code"] * FREE_TRIES + ["too_many_tries"] * 2

    @pytest.mark.parametrize("kind", ["app", "recovery"])
    def test_accepts_no_code_a_second_time_in_another_browser(self, client, ada, kind):
        device, codes = enrol(ada)
        code = next_code_of(device) if kind == "app" else codes[0]
        thief = Client()
        for browser, is_let_in in ((client, True), (thief, False)):
            show_password(browser)
            show_code(browser, code)
            assert is_in(browser) is is_let_in

    def test_accepts_no_code_at_log_in_that_has_already_changed_the_factor(self, client, ada):
        device, codes = enrol(ada)
        client.force_login(ada)
        code = next_code_of(device)
        assert client.post("/second-factor/change/", {"code": code, "action": "renew"}).status_code == 200
        thief = Client()
        for again in (code, codes[0]):  # the earlier recovery codes are no longer valid either
            show_password(thief)
            assert "Invalid or expired code" in text_of(show_code(thief, again))
            assert not is_in(thief)

    def test_is_skipped_if_it_is_off(self, client, ada, settings):
        enrol(ada)
        settings.SECOND_FACTOR = "off"
        assert show_password(client).url == "/"
        assert is_in(client)
        assert client.get("/second-factor/").status_code == 404


class TestEnrolment:
    def test_leads_from_the_password_through_a_key_to_recovery_codes(self, client, ada):
        client.force_login(ada)
        elsewhere = Client()
        elsewhere.force_login(ada)
        assert "Create key" in text_of(client.get("/second-factor/"))
        assert client.post("/second-factor/start/", {"password": PASSWORD}).url == "/second-factor/"
        device = devices.unconfirmed_device_of(ada)
        page = text_of(client.get("/second-factor/"))
        assert devices.key_text(device) in page
        assert "data:image/svg+xml" in page
        wrong = client.post("/second-factor/confirm/", {"code": wrong_code_of(device)})
        assert (wrong.status_code, "Invalid or expired code" in text_of(wrong)) == (400, True)
        done = text_of(client.post("/second-factor/confirm/", {"code": code_of(device)}))
        assert len(set(codes_in(done))) == 10
        assert (is_in(client), is_in(elsewhere)) == (True, False)
        page = text_of(client.get("/second-factor/"))
        assert "Second factor is on" in page
        assert devices.key_text(device) not in page
        assert client.post("/second-factor/confirm/", {"code": "1"}).url == "/second-factor/"

    def test_asks_for_the_password_first_and_counts_wrong_ones(self, client, ada):
        client.force_login(ada)
        for _ in range(FREE_TRIES):
            assert client.post("/second-factor/start/", {"password": "wrong"}).status_code == 400
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        assert client.post("/second-factor/start/", {"password": PASSWORD}).status_code == 429
        assert devices.unconfirmed_device_of(ada) is None

    def test_counts_wrong_codes_of_the_new_app(self, client, ada):
        client.force_login(ada)
        client.post("/second-factor/start/", {"password": PASSWORD})
        device = devices.unconfirmed_device_of(ada)
        for _ in range(FREE_TRIES):
            answer = client.post("/second-factor/confirm/", {"code": wrong_code_of(device)})
            assert answer.status_code == 400
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        answer = client.post("/second-factor/confirm/", {"code": code_of(device)})
        assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)
        assert devices.device_of(ada) is None
        LoginFailure.objects.update(blocked_until=None)
        assert client.post("/second-factor/confirm/", {"code": code_of(device)}).status_code == 200
        assert not LoginFailure.objects.exists()

    def test_counts_nothing_if_there_is_nothing_to_confirm(self, client, ada):
        client.force_login(ada)
        assert client.post("/second-factor/confirm/", {"code": "000000"}).url == "/second-factor/"
        assert not LoginFailure.objects.exists()

    def test_is_for_anyone_who_is_logged_in_and_by_post(self, client):
        assert client.get("/second-factor/").url == "/login/?next=/second-factor/"
        support = client_of("support")
        assert support.get("/second-factor/").status_code == 200
        for step in ("start", "confirm", "change"):
            assert support.get(f"/second-factor/{step}/").status_code == 405
        support.handler.enforce_csrf_checks = True
        assert support.post("/second-factor/start/", {"password": PASSWORD}).status_code == 403


class TestChange:
    def test_makes_new_recovery_codes_for_a_valid_code(self, client, ada):
        device, codes = enrol(ada)
        client.force_login(ada)
        sent = {"action": "renew", "code": next_code_of(device)}
        page = text_of(client.post("/second-factor/change/", sent))
        renewed = codes_in(page)
        assert len(set(renewed) - set(codes)) == 10
        assert devices.check_code(user=ada, code=codes[0]) == ""
        assert devices.check_code(user=ada, code=renewed[0]) == "recovery_code"

    def test_removes_it_for_a_valid_code(self, client, ada):
        _, codes = enrol(ada)
        client.force_login(ada)
        wrong = client.post("/second-factor/change/", {"action": "remove", "code": "000000"})
        assert wrong.status_code == 400
        assert devices.device_of(ada)
        removed = client.post("/second-factor/change/", {"action": "remove", "code": codes[0]}, follow=True)
        assert devices.device_of(ada) is None
        assert removed.redirect_chain == [("/second-factor/", 302)]
        assert [str(notice) for notice in removed.context["messages"]] == [
            "App removed. You have no second factor now."
        ]
        assert SHOWN not in client.session

    def test_forgets_earlier_wrong_codes_after_a_valid_one(self, client, ada):
        device, codes = enrol(ada)
        client.force_login(ada)
        client.post("/second-factor/change/", {"action": "renew", "code": wrong_code_of(device)})
        assert LoginFailure.objects.filter(subject__startswith="code-").count() == 1
        client.post("/second-factor/change/", {"action": "renew", "code": codes[0]})
        assert not LoginFailure.objects.filter(subject__startswith="code-").exists()

    def test_counts_wrong_codes(self, client, ada):
        device, codes = enrol(ada)
        client.force_login(ada)
        for _ in range(FREE_TRIES):
            client.post("/second-factor/change/", {"action": "remove", "code": wrong_code_of(device)})
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        sent = {"action": "remove", "code": codes[0]}
        assert client.post("/second-factor/change/", sent).status_code == 429


class TestRequired:
    @pytest.fixture(autouse=True)
    def required(self, settings):
        settings.SECOND_FACTOR = "required"

    def test_leads_administrators_to_it_before_anything_else(self, client, ada):
        show_password(client)
        for path in ("/", "/messages/", "/admin/", "/sessions/", "/jobs/new/?kind=cancel&state=OK"):
            assert client.get(path).url == "/second-factor/", path
        assert client.post("/jobs/new/?kind=cancel&state=FAILED", {"reason": "r"}).url == "/second-factor/"
        part = client.get("/dashboard/part/", headers={"HX-Request": "true"})
        assert (part.status_code, part.headers["HX-Redirect"]) == (401, "/second-factor/")
        answer = client.get("/api/v1/messages/")
        assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_required")
        assert "Set one up to continue" in text_of(client.get("/second-factor/"))
        client.post("/second-factor/start/", {"password": PASSWORD})
        client.post("/second-factor/confirm/", {"code": code_of(devices.unconfirmed_device_of(ada))})
        assert client.get("/messages/").status_code == 200
        assert client.get("/api/v1/messages/").status_code == 200

    @pytest.mark.parametrize("value", ["Token hubc_nothing", "Basic x", ""])
    def test_is_not_bypassed_by_a_header(self, client, ada, value):
        client.force_login(ada)
        headers = {"Authorization": value}
        assert client.get("/messages/", headers=headers).url == "/second-factor/"
        assert client.get("/api/v1/messages/", headers=headers).status_code == 401

    def test_can_be_asked_of_everyone(self, settings):
        settings.SECOND_FACTOR = "everyone"
        assert client_of("support").get("/messages/").url == "/second-factor/"
        assert caller("support", username="tess").get("messages/").status_code == 200

    def test_does_not_ask_others_and_tokens(self):
        assert client_of("operator").get("/messages/").status_code == 200
        assert caller("admin", username="tess").get("messages/").status_code == 200

    def test_allows_log_out_and_health(self, client, ada):
        client.force_login(ada)
        assert client.get("/health/").headers["Content-Type"] == "application/json"
        assert client.get("/sessions/left/").status_code == 200
        assert client.post("/logout/").url == "/login/"

    def test_ends_a_session_that_began_without_it(self, client, ada):
        enrol(ada)
        client.force_login(ada)
        assert client.get("/messages/").url == "/login/?next=/messages/"
        assert not UserSession.objects.exists()
        client.force_login(ada)
        assert client.get("/api/v1/messages/").status_code == 401

    def test_allows_log_in_with_a_code(self, client, ada):
        device, _ = enrol(ada)
        show_password(client)
        show_code(client, next_code_of(device))
        assert client.get("/messages/").status_code == 200


class TestAdminPages:
    def test_show_no_keys(self, client):
        client.force_login(make_user(is_staff=True, is_superuser=True))
        devices.renew_recovery_codes(user=make_user("admin", username="bob"), actor=SYSTEM)
        assert client.get("/admin/otp_totp/totpdevice/").status_code == 404
