"""The map, services and systems over REST: the numbers of their pages."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.audit.services import Actor
from messages_app.core.clock import database_clock
from messages_app.incidents.models import Incident
from messages_app.service_map.participants import Kind, Participant
from messages_app.service_map.targets.services import save_profile
from tests.messages_app.service_map.counted import (
    begin_counting,
    count_calls,
    count_messages,
    hours_ago,
    open_incident,
)
from tests.support.api_client import ApiClient, caller, problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> ApiClient:
    return caller("support")


def set_targets(kind: Kind, name: str) -> None:
    save_profile(
        Participant(kind, name),
        version="0",
        columns={
            "owner": "payments team",
            "runbook": "https://wiki.example.org/bank",
            "within_seconds": 300,
            "within_share": 0.99,
            "failed_share": 0.05,
        },
        actor=Actor(username="ada"),
        reason="agreed with the bank",
    )


class TestMap:
    def test_has_the_flows_of_the_time_the_busiest_first(self, api):
        at = hours_ago(2)
        count_calls("billing", "bank.example", ok=6, failed=2, at=at, step=8)
        count_calls("order", "crm.example", ok=20, at=at, step=8)
        count_calls("order", "old.example", ok=50, at=hours_ago(50))
        count_messages("invoice", "OK", 3, at=at)
        begin_counting()
        answer = api.get("map/")
        assert answer.status_code == 200
        body = answer.json()
        assert body["window"] == "24h"
        assert body["counted_at"] is not None
        assert body["services"] == ["invoice"]
        assert body["flows"] == [
            {
                "service_name": "order",
                "external_system": "crm.example",
                "calls": 20,
                "failed": 0,
                "failed_lately": 0,
                "failed_share": 0.0,
                "p50_seconds": pytest.approx(4.36, abs=0.05),
                "p95_seconds": pytest.approx(4.36, abs=0.05),
                "attention": "quiet",
            },
            {
                "service_name": "billing",
                "external_system": "bank.example",
                "calls": 8,
                "failed": 2,
                "failed_lately": 0,
                "failed_share": 0.25,
                "p50_seconds": pytest.approx(4.36, abs=0.05),
                "p95_seconds": pytest.approx(4.36, abs=0.05),
                "attention": "notable",
            },
        ]

    def test_takes_the_filters_of_its_page(self, api):
        count_calls("billing", "bank.example", failed=1)
        count_calls("billing", "crm.example", ok=9)
        count_calls("order", "old.example", ok=5, at=hours_ago(50))

        def systems(query: str) -> list[str]:
            return [flow["external_system"] for flow in api.get(f"map/?{query}").json()["flows"]]

        assert systems("window=7d") == ["crm.example", "old.example", "bank.example"]
        assert systems("service_name=order&window=7d") == ["old.example"]
        assert systems("external_system=crm.example") == ["crm.example"]
        assert systems("failing=true") == ["bank.example"]
        assert api.get("map/?failing=true").json()["flows"][0]["attention"] == "alarm"

    @pytest.mark.parametrize("query", ["window=2h", "window=1h&window=7d", "failing=maybe", "system=x"])
    def test_refuses_other_parameters(self, api, query):
        answer = api.get(f"map/?{query}")
        assert answer.status_code == 400
        assert problem(answer)["errors"][0]["field"] == query.split("=")[0]

    def test_is_empty_before_anything_is_counted(self, api):
        body = api.get("map/").json()
        assert (body["flows"], body["services"], body["counted_at"]) == ([], [], None)


class TestService:
    def test_has_its_last_day_incidents_and_targets(self, api):
        at = hours_ago(2)
        count_messages("billing", "OK", 90, at=at, step=8)
        count_messages("billing", "FAILED", 10, at=at + timedelta(minutes=1), step=60)
        count_messages("billing", "OK", 70, at=at - timedelta(days=7), step=8)
        count_calls("billing", "bank.example", ok=9, failed=1, step=8)
        count_calls("order", "crm.example", ok=1)
        opened = open_incident("bank.example", "billing", owner="grace")
        ended = open_incident("erp.example", "billing")
        Incident.objects.filter(pk=ended.pk).update(state="closed", closed_at=Now())
        set_targets(Kind.SERVICE, "billing")

        body = api.get("services/billing/").json()

        assert (body["name"], body["owner"]) == ("billing", "payments team")
        assert body["runbook"] == "https://wiki.example.org/bank"
        assert (body["succeeded"], body["failed"], body["failed_share"]) == (90, 10, 0.1)
        assert (body["week_before"], body["failing_now"]) == (70, 10)
        assert body["p50_seconds"] == pytest.approx(4.36, abs=0.05)
        hour = next(each for each in body["hours"] if each["succeeded"])
        assert len(body["hours"]) == 24
        assert hour["at"].startswith(f"{at:%Y-%m-%dT%H}:00:00")
        assert (hour["succeeded"], hour["week_before"]) == (90, 70)
        assert [flow["external_system"] for flow in body["flows"]] == ["bank.example"]
        assert [each["incident_id"] for each in body["open_incidents"]] == [opened.pk]
        assert [each["incident_id"] for each in body["closed_incidents"]] == [ended.pk]
        assert body["targets"] == {"within_seconds": 300, "within_share": 0.99, "failed_share": 0.05}

    def test_shows_on_which_days_its_targets_were_met(self, api):
        noon = database_clock().replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=3)
        count_messages("billing", "OK", 90, at=noon, step=8)
        count_messages("billing", "FAILED", 10, at=noon + timedelta(minutes=1), step=60)
        set_targets(Kind.SERVICE, "billing")
        in_time, failed = api.get("services/billing/").json()["target_days"]
        assert (in_time["share_of"], in_time["target"]) == ("in_time", "99 % within 5 min")
        assert (failed["share_of"], failed["target"]) == ("failed", "at most 5 % failed")
        assert [len(each["days"]) for each in (in_time, failed)] == [30, 30]
        day = {"day": f"{noon:%Y-%m-%d}", "ended": 100}
        assert in_time["days"][-4] == {**day, "share": 0.9, "is_met": False}
        assert failed["days"][-4] == {**day, "share": 0.1, "is_met": False}
        assert failed["days"][0]["is_met"] is None

    def test_is_named_as_in_the_address_of_its_page(self, api):
        count_messages("a/b <c>", "OK", 1, at=hours_ago(1))
        assert api.get("services/a~2Fb%20%3Cc%3E/").json()["name"] == "a/b <c>"

    @pytest.mark.parametrize("name", ["unknown", "a~00b", "x" * 200, "~", "%20"])
    def test_is_not_found_if_nothing_is_known(self, api, name):
        for address in (f"services/{name}/", f"systems/{name}/"):
            answer = api.get(address)
            assert (answer.status_code, problem(answer)["code"]) == (404, "not_found"), address


class TestSystem:
    def test_has_its_calls_and_the_services_that_make_them(self, api):
        at = hours_ago(2)
        count_calls("billing", "bank.example", ok=6, failed=2, at=at, step=8)
        count_calls("order", "bank.example", ok=2, at=at, step=40)
        open_incident("bank.example", "billing")
        open_incident("crm.example", "order")
        body = api.get("systems/bank.example/").json()
        assert (body["name"], body["succeeded"], body["failed"]) == ("bank.example", 8, 2)
        assert [flow["service_name"] for flow in body["flows"]] == ["billing", "order"]
        assert [each["external_system"] for each in body["open_incidents"]] == ["bank.example"]
        assert body["targets"] == {"within_seconds": None, "within_share": None, "failed_share": None}
        assert (body["owner"], body["target_days"]) == ("", [])
