import re

import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.service_map.targets.models import Profile
from tests.messages_app.service_map.counted import count_calls, count_messages, hours_ago
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db
FORM = {
    "owner": "ada",
    "runbook": "https://wiki.example/bank",
    "within_share": "99.5",
    "within_seconds": "2",
    "failed_share": "1",
    "version": "0",
    "reason": "agreed with the bank",
}
PATH = "/systems/bank.example/targets/"


@pytest.fixture
def browser() -> Client:
    count_calls("billing", "bank.example", ok=90, failed=10, step=2)
    return client_of("admin")


class TestChangeTargets:
    def test_stores_the_targets_and_shows_them_on_the_page(self, browser):
        response = browser.post(PATH, FORM, follow=True)
        assert response.redirect_chain == [("/systems/bank.example/", 302)]
        page = " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())
        assert "Owner ada Runbook https://wiki.example/bank" in page
        assert "99.5 % within 2 s Today 100 %: met" in page
        assert "At most 1 % failed Today 10 %: missed" in page
        assert "Met on 0 of 1 day (UTC)" in page

    def test_shows_the_stored_values(self, browser):
        browser.post(PATH, FORM)
        page = browser.get(PATH).content.decode()
        for name, value in {**FORM, "version": "1", "within_share": "99.5", "failed_share": "1.0"}.items():
            if name != "reason":
                assert re.search(rf'name="{name}" value="{re.escape(value)}"', page), name

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"within_seconds": ""}, "within_seconds"),
            ({"within_share": ""}, "within_share"),
            ({"within_share": "101"}, "within_share"),
            ({"within_share": "nan"}, "within_share"),
            ({"failed_share": "-1"}, "failed_share"),
            ({"failed_share": "inf"}, "failed_share"),
            ({"within_seconds": "0"}, "within_seconds"),
            ({"within_seconds": "9" * 30}, "within_seconds"),
            ({"runbook": "javascript:alert(1)"}, "runbook"),
            ({"runbook": "ftp://wiki.example/"}, "runbook"),
            ({"owner": "a\0b"}, "owner"),
            ({"owner": "x" * 151}, "owner"),
            ({"reason": ""}, "reason"),
            ({"version": "9" * 30}, "version"),
        ],
    )
    def test_names_the_field_of_an_error_and_changes_nothing(self, browser, changes, field):
        response = browser.post(PATH, FORM | changes)
        assert response.status_code == 400
        assert field in response.context["form"].errors
        assert Profile.objects.count() == 0

    def test_refuses_to_overwrite_a_change_of_another_user(self, browser):
        browser.post(PATH, FORM)
        response = browser.post(PATH, FORM | {"owner": "eve"})
        assert response.status_code == 409
        assert "changed this" in response.content.decode()
        assert Profile.objects.get().owner == "ada"

    def test_is_only_for_users_who_may_change_watch_rules(self, browser):
        other = client_of("operator", username="bob")
        assert "Change</a>" not in other.get("/systems/bank.example/").content.decode()
        for response in (other.get(PATH), other.post(PATH, FORM)):
            assert response.status_code == 403
        assert Profile.objects.count() == 0
        assert AuditEntry.objects.filter(action="change_targets", outcome="refused").exists()

    def test_is_not_found_for_unknown_names(self, browser):
        assert browser.get("/services/unknown/targets/").status_code == 404

    def test_links_the_participant_in_the_audit_log(self, browser):
        count_messages("billing", "OK", 1, at=hours_ago(1))
        browser.post("/services/billing/targets/", FORM)
        assert 'href="/services/billing/"' in browser.get("/audit/").content.decode()
