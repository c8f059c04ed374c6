"""The key of a receiver: it is stored, sent to that receiver only, and shown nowhere."""

import json

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.problems import Problem
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.services import change_rule, create_rule
from tests.messages_app.core.deliveries.products import ROUTING_KEY
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.api_client import caller, problem
from tests.support.jobs import ANA
from tests.support.page_client import client_of, text_of
from tests.support.page_forms import send_form

pytestmark = pytest.mark.django_db

RULE = {"name": "Many failures", "measure": "entered", "state": "FAILED", "limit": 100}
PAGERDUTY = {
    "webhook_url": "https://events.pagerduty.com/v2/enqueue",
    "webhook_format": "pagerduty",
    "webhook_key": ROUTING_KEY,
}
OPSGENIE_URL = "https://api.opsgenie.com/v2/alerts"
OTHER_KEY = ROUTING_KEY[::-1]
FORM = {
    "name": "Many failures",
    "enabled": "on",
    "measure": "entered",
    "state": "FAILED",
    "window_minutes": "15",
    "limit": "100",
    "quiet_minutes": "30",
    "reason": "on call",
}


@pytest.fixture(autouse=True)
def hosts(settings) -> None:
    settings.WEBHOOK_HOSTS = ["events.pagerduty.com", "events.eu.pagerduty.com", "api.opsgenie.com"]


def stored(rule: WatchRule) -> tuple[str, str]:
    rule.refresh_from_db()
    return rule.webhook_format, rule.webhook_key


class TestServices:
    def test_keep_the_key_while_its_receiver_stays(self):
        rule = create_rule(actor=ANA, **RULE | PAGERDUTY)
        change_rule(rule_id=rule.pk, actor=ANA, limit=7, webhook_url=PAGERDUTY["webhook_url"])
        assert stored(rule) == ("pagerduty", ROUTING_KEY)
        change_rule(rule_id=rule.pk, actor=ANA, webhook_key=OTHER_KEY)
        assert stored(rule) == ("pagerduty", OTHER_KEY)

    @pytest.mark.parametrize(
        "changes",
        [
            {"webhook_url": "https://events.eu.pagerduty.com/v2/enqueue"},
            {"webhook_url": OPSGENIE_URL, "webhook_format": "opsgenie"},
        ],
    )
    def test_require_it_again_for_another_receiver(self, changes):
        rule = create_rule(actor=ANA, **RULE | PAGERDUTY)
        with pytest.raises(Problem) as refused:
            change_rule(rule_id=rule.pk, actor=ANA, **changes)
        assert [(error.field, error.code) for error in refused.value.errors] == [("webhook_key", "required")]
        assert stored(rule) == ("pagerduty", ROUTING_KEY)

    def test_forget_it_with_a_format_without_a_key(self):
        rule = create_rule(actor=ANA, **RULE | PAGERDUTY)
        change_rule(rule_id=rule.pk, actor=ANA, webhook_format="slack")
        assert stored(rule) == ("slack", "")

    def test_record_only_that_it_was_set(self):
        create_rule(actor=ANA, **RULE | PAGERDUTY)
        details = AuditEntry.objects.get().details
        assert (details["webhook_key"], details["webhook_format"]) == ("•••", "pagerduty")


class TestApi:
    def test_takes_it_and_never_returns_it(self):
        admin = caller("admin")
        answer = admin.post("watch-rules/", RULE | PAGERDUTY)
        assert answer.status_code == 201
        body = answer.json()
        rule = WatchRule.objects.get(pk=body["rule_id"])
        assert (body["webhook_format"], stored(rule)) == ("pagerduty", ("pagerduty", ROUTING_KEY))
        change = {"webhook_key": OTHER_KEY}
        changed = admin.send("PATCH", f"watch-rules/{rule.pk}/", json.dumps(change).encode())
        assert stored(rule) == ("pagerduty", OTHER_KEY)
        pages = (answer, changed, admin.get("watch-rules/"), admin.get(f"watch-rules/{rule.pk}/"))
        for page in pages:
            assert "webhook_key" not in page.content.decode()
            assert ROUTING_KEY not in page.content.decode()

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"webhook_format": "fax"}, "webhook_format"),
            ({"webhook_format": "slack"}, "webhook_key"),
            ({"webhook_key": ""}, "webhook_key"),
            ({"webhook_key": "short"}, "webhook_key"),
            ({"webhook_key": "x" * 201}, "webhook_key"),
            ({"webhook_url": "https://events.pagerduty.com/"}, "webhook_url"),
            ({"webhook_url": "https://evil.example/v2/enqueue"}, "webhook_url"),
            ({"webhook_url": OPSGENIE_URL, "webhook_format": "opsgenie", "webhook_key": ""}, "webhook_key"),
        ],
    )
    def test_refuses_bad_input_by_its_field(self, changes, field):
        told = problem(caller("admin").post("watch-rules/", RULE | PAGERDUTY | changes))
        assert (told["status"], [error["field"] for error in told["errors"]]) == (400, [field])


class TestPage:
    def test_stores_it_and_shows_only_that_there_is_one(self):
        client = client_of("admin")
        answer = client.post("/watch-rules/new/", FORM | PAGERDUTY)
        rule = WatchRule.objects.get(name="Many failures")
        assert (answer.status_code, stored(rule)) == (302, ("pagerduty", ROUTING_KEY))
        text = text_of(client.get(f"/watch-rules/{rule.pk}/"))
        assert ROUTING_KEY not in text
        assert 'placeholder="stays as it is"' in text

    def test_keeps_it_if_the_field_is_empty(self):
        rule, client = make_rule(**RULE | PAGERDUTY), client_of("admin")
        send_form(client, f"/watch-rules/{rule.pk}/", FORM | PAGERDUTY | {"webhook_key": "", "limit": "7"})
        assert (stored(rule), rule.limit) == (("pagerduty", ROUTING_KEY), 7)

    def test_shows_each_error_at_its_field(self):
        answer = client_of("admin").post("/watch-rules/new/", FORM | PAGERDUTY | {"webhook_key": ""})
        assert answer.status_code == 400
        words = ["Enter the routing key of the integration in PagerDuty."]
        assert answer.context["form"].errors == {"webhook_key": words}

    def test_shows_no_typed_key_when_two_people_edit_the_rule(self):
        rule, client = make_rule(**RULE | PAGERDUTY), client_of("admin")
        form = FORM | PAGERDUTY | {"version": "outdated", "webhook_key": OTHER_KEY}
        answer = client.post(f"/watch-rules/{rule.pk}/", form)
        assert answer.status_code == 409
        text = text_of(answer)
        assert OTHER_KEY not in text
        assert "•••" in text

    def test_ignores_a_key_that_the_format_does_not_have(self):
        form = FORM | {"webhook_key": ROUTING_KEY}
        assert client_of("admin").post("/watch-rules/new/", form).status_code == 302
        assert stored(WatchRule.objects.get(name="Many failures")) == ("standard", "")
