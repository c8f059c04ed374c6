import pytest
from django.test import Client

from tests.api_client import ApiClient, caller, problem
from tests.factories import make_message

pytestmark = pytest.mark.django_db

ASKED = {"kind": "restart", "filter": {"state": "FAILED"}, "reason": "r"}


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


class TestCheckPasswordGuard:
    @pytest.fixture(autouse=True)
    def guard(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "password", 2

    def ask(self, caller: ApiClient, **body: object):
        session = Client()
        session.force_login(caller.user)
        return session.post("/api/v1/jobs/", ASKED | body, content_type="application/json")

    def test_takes_a_session_to_the_page(self, admin):
        make_message(state="FAILED")
        assert self.ask(admin).status_code == 202
        make_message(state="FAILED")
        body = problem(self.ask(admin))
        assert (body["status"], body["code"]) == (403, "password_required")
        assert self.ask(admin, dry_run=True).status_code == 202
        assert problem(self.ask(admin, options={"canary": 0}))["errors"][0]["field"] == "options.canary"

    def test_asks_a_token_for_nothing_more(self, admin):
        for _ in range(2):
            make_message(state="FAILED")
        assert admin.post("jobs/", ASKED).status_code == 202
