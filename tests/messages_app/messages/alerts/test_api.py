import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.listing.models import SavedView
from tests.messages_app.messages.alerts.rules import make_rule, store
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.factories import make_user
from tests.support.page_client import client_of, show_values

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


class TestWatchRuleListView:
    def test_stores_and_lists_rules(self, admin):
        rule = {"name": "Many failures", "measure": "entered", "state": "FAILED", "limit": 100}
        assert admin.post("watch-rules/", rule).status_code == 201
        found = {one["name"]: one for one in admin.get("watch-rules/").json()["results"]}
        assert found["Many failures"]["limit"] == 100

    def test_accepts_only_the_users_own_view(self, admin):
        views = SavedView.objects
        mine = views.create(owner=admin.user, name="mine", query="state=FAILED")
        other = views.create(owner=make_user(username="bob"), name="other", query="state=FAILED")
        rule = {"name": "mine", "measure": "saved_view", "limit": 1}
        assert admin.post("watch-rules/", rule | {"saved_view": mine.pk}).json()["saved_view"] == mine.pk
        refused = problem(admin.post("watch-rules/", rule | {"name": "other", "saved_view": other.pk}))
        assert refused["errors"][0]["field"] == "saved_view"

    def test_accepts_a_view_that_searches_payloads_only_while_payloads_are_shown(self):
        client = client_of("admin", "view_payload")
        query = "payload_contains=x&receive_timestamp_from=-2h"
        view = SavedView.objects.create(owner=make_user(username="bob"), name="x", query=query, shared=True)
        rule = {"name": "x", "measure": "saved_view", "limit": 1, "saved_view": view.pk}

        def post(client: Client, **changes: object) -> HttpResponse:
            return client.post(f"{BASE}watch-rules/", rule | changes, content_type="application/json")

        assert problem(post(client))["code"] == "reveal_required"
        entry = AuditEntry.objects.get(action="create_watch_rule")
        assert (entry.outcome, entry.details["refusal"]) == ("refused", "reveal_required")
        for asking, number in ((client, view.pk + 1), (client_of("admin", username="eve"), view.pk)):
            refused = problem(post(asking, saved_view=number))
            assert (refused["status"], refused["errors"][0]["field"]) == (400, "saved_view")
        show_values(client)
        assert post(client).json()["saved_view"] == view.pk

    def test_shows_the_path_of_a_webhook_only_to_users_who_may_change_rules(self, admin):
        rule = make_rule(webhook_url="https://hooks.example.org/services/T0/secret?key=x")
        support = caller("support", username="sue")
        told = {
            client.user.username: {
                one["rule_id"]: one for one in client.get("watch-rules/").json()["results"]
            }
            for client in (admin, support)
        }
        assert told["ada"][rule.pk]["webhook_url"] == "https://hooks.example.org/services/T0/secret?key=x"
        assert told["sue"][rule.pk]["webhook_url"] == "https://hooks.example.org/•••"

    def test_refuses_a_webhook_to_a_host_that_the_settings_do_not_name(self, admin):
        rule = {"name": "x", "measure": "entered", "state": "FAILED", "limit": 1}
        body = problem(admin.post("watch-rules/", rule | {"webhook_url": "http://127.0.0.1:5432/"}))
        assert body["errors"][0]["field"] == "webhook_url"


class TestWatchRuleView:
    def test_changes_a_rule(self, admin):
        rule = make_rule()
        response = admin.send("PATCH", f"watch-rules/{rule.pk}/", b'{"limit": 7}')
        assert response.status_code == 200
        assert WatchRule.objects.get(pk=rule.pk).limit == 7

    def test_rejects_an_unknown_id(self, admin):
        assert problem(admin.send("PATCH", "watch-rules/0/", b"{}"))["code"] == "not_found"


class TestAlertListView:
    def test_lists_the_open_alerts(self, admin):
        make_rule()
        store()
        check_rules()
        (alert,) = admin.get("alerts/").json()["results"]
        assert (alert["rule_name"], alert["value"], alert["closed_at"]) == ("Failed", 1, None)
