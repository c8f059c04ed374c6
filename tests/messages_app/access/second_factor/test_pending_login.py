import pytest
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.test import Client, RequestFactory

from messages_app.access.second_factor import pending_login
from messages_app.access.sessions.store import SessionStore
from tests.messages_app.access.second_factor.factors import enrol
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    make_user("admin", username="linus")
    return make_user("admin")


@pytest.fixture
def request_of_no_one() -> HttpRequest:
    request = RequestFactory().post("/login/")
    request.session = SessionStore()
    request.session.create()
    return request


class TestUserOf:
    def test_is_who_has_entered_the_password(self, request_of_no_one, ada):
        assert pending_login.user_of(request_of_no_one) is None
        before = request_of_no_one.session.session_key
        pending_login.begin_second_step(request_of_no_one, ada)
        assert request_of_no_one.session.session_key != before
        assert pending_login.user_of(request_of_no_one) == ada
        assert not get_user(request_of_no_one).is_authenticated

    def test_is_no_one_once_the_password_or_the_account_has_changed(self, request_of_no_one, ada):
        pending_login.begin_second_step(request_of_no_one, ada)
        ada.is_active = False
        ada.save()
        assert pending_login.user_of(request_of_no_one) is None
        ada.is_active = True
        ada.save()
        assert pending_login.user_of(request_of_no_one) == ada
        ada.set_password("quite another story")
        ada.save()
        assert pending_login.user_of(request_of_no_one) is None


class TestFinish:
    def test_logs_the_user_in_and_keeps_how_the_factor_was_shown(self, request_of_no_one, ada):
        pending_login.begin_second_step(request_of_no_one, ada)
        pending_login.finish_login(request_of_no_one, ada, kind="recovery_code")
        assert get_user(request_of_no_one) == ada
        assert request_of_no_one.session["second_factor"] == "recovery_code"
        assert pending_login.user_of(request_of_no_one) is None


class TestSecondFactorMiddleware:
    @pytest.fixture(autouse=True)
    def required(self, settings):
        settings.SECOND_FACTOR = "required"

    @pytest.fixture
    def client(self, ada) -> Client:
        client = Client()
        client.force_login(ada)
        return client

    def test_leads_pages_to_the_setup(self, client):
        page = client.get("/messages/")
        assert (page.status_code, page.headers["Location"]) == (302, "/second-factor/")
        part = client.get("/dashboard/part/", headers={"HX-Request": "true"})
        assert (part.status_code, part.headers["HX-Redirect"]) == (401, "/second-factor/")

    def test_says_to_programs_what_is_missing(self, client):
        answer = client.get("/api/v1/messages/")
        body = answer.json()
        assert (answer.status_code, body["code"]) == (403, "second_factor_required")
        assert body["detail"] == "You need a second factor. Set one up at /second-factor/."

    @pytest.mark.parametrize(("path", "status"), [("/messages/", 302), ("/api/v1/messages/", 401)])
    def test_ends_a_session_that_began_without_the_factor_of_its_user(self, client, ada, path, status):
        enrol(ada)
        answer = client.get(path)
        assert answer.status_code == status
        if status == 302:
            assert answer.headers["Location"].startswith("/login/")
        else:
            assert (answer.json()["code"], answer.json()["detail"]) == ("not_authenticated", "Log in again.")
        assert "_auth_user_id" not in client.session

    def test_is_skipped_if_it_is_only_offered(self, client, settings):
        settings.SECOND_FACTOR = "offered"
        assert client.get("/messages/").status_code == 200
