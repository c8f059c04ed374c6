import re

import pytest
from django.http import HttpResponse
from django.test import override_settings

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.alerts.notices import send_notices
from messages_app.messages.listing.models import SavedView
from tests.messages_app.messages.alerts.rules import make_rule, store
from tests.support.factories import make_user
from tests.support.page_client import client_of, notices_of, text_of
from tests.support.page_forms import send_form
from tests.support.page_outlines import outline_of

pytestmark = pytest.mark.django_db

FORM = {
    "name": "Billing fails",
    "enabled": "on",
    "measure": "failure_rate",
    "limit": "20",
    "service_name": "billing",
    "window_minutes": "15",
    "at_least": "20",
    "quiet_minutes": "30",
    "mail_to": "ops@example.org, night@example.org",
    "reason": "requested by billing",
}


class TestRuleList:
    def test_shows_rules_with_an_open_alert_first(self):
        make_rule(name="A quiet one", limit=5, mail_to=["ops@example.org"])
        rule = make_rule(name="Failed")
        store(2)
        check_rules()
        client = client_of("support")
        text = text_of(client.get("/watch-rules/"))
        assert text.index("Failed</a>") < text.index("A quiet one</a>")
        assert "/watch-rules/new/" not in text
        page = text_of(client.get(f"/watch-rules/{rule.pk}/"))
        assert "When the number of FAILED messages is above 0" in page
        assert 'aria-label="Rule"' not in page
        assert "Failed" in text_of(client.get("/alerts/"))
        assert client_of(username="eve").get("/watch-rules/").status_code == 403


class TestNewRule:
    def test_stores_the_values_of_the_form(self):
        response = client_of("admin").post("/watch-rules/new/", FORM)
        rule = WatchRule.objects.get(name="Billing fails")
        assert response.url == f"/watch-rules/{rule.pk}/"
        assert (rule.measure, rule.limit, rule.service_name) == ("failure_rate", 0.2, "billing")
        assert rule.mail_to == ["ops@example.org", "night@example.org"]
        assert AuditEntry.objects.get().reason == "requested by billing"

    def test_shows_each_error_next_to_its_field(self):
        client = client_of("admin")
        for changes, words in (
            ({"limit": "many"}, "Enter a number."),
            ({"limit": "101"}, "Limit in percent: Ensure this value is less than or equal to 100."),
            ({"measure": "present"}, "State: This field is required."),
            ({"measure": "saved_view"}, "Choose the saved view"),
            ({"measure": "odd"}, "Measure: Select a valid choice."),
            ({"mail_to": "ops"}, "mail_to must be email addresses"),
            ({"webhook_url": "http://169.254.169.254/"}, "is not listed in"),
            ({"reason": ""}, "Enter a reason"),
        ):
            response = client.post("/watch-rules/new/", FORM | changes)
            assert response.status_code == 400
            assert words in text_of(response)
        assert WatchRule.objects.filter(is_built_in=False).count() == 0

    def test_has_only_the_fields_of_the_measure(self):
        client = client_of("admin")
        for measure, names in (
            ("failure_rate", {"service_name", "limit", "window_minutes", "at_least"}),
            ("entered", {"service_name", "state", "limit", "window_minutes"}),
            ("present", {"service_name", "state", "limit", "older_than_minutes"}),
            ("age", {"service_name", "state", "limit"}),
            ("saved_view", {"saved_view", "limit"}),
        ):
            form = client.get("/watch-rules/new/", {"measure": measure}).context["form"]
            assert {field.name for _, field in form.sentence if field} == names
            further = (
                {"operation_name", "source_system", "failed_error_code"} if "service_name" in names else set()
            )
            channels = {"measure", "name", "mail_to", "webhook_url", "quiet_minutes", "enabled", "reason"}
            channels |= {"webhook_format", "webhook_key"}
            assert set(form.fields) == names | further | channels

    def test_stores_percent_and_minutes_as_a_share_and_seconds(self):
        client = client_of("admin")
        client.post("/watch-rules/new/", FORM | {"limit": "7"})
        assert WatchRule.objects.get(name="Billing fails").limit == 0.07
        state = {"state": "WAITING", "limit": "1.5"}
        client.post("/watch-rules/new/", FORM | state | {"measure": "age", "name": "old"})
        assert WatchRule.objects.get(name="old").limit == 90
        waiting = state | {"measure": "present", "older_than_minutes": "2.5", "name": "waiting"}
        client.post("/watch-rules/new/", FORM | waiting)
        rule = WatchRule.objects.get(name="waiting")
        assert rule.older_than_seconds == 150
        form = client.get(f"/watch-rules/{rule.pk}/").context["form"]
        assert (form["older_than_minutes"].value(), form["limit"].value()) == ("2.5", "1.5")

    def test_names_a_rule_by_its_sentence(self):
        client_of("admin").post("/watch-rules/new/", FORM | {"name": ""})
        name = "When the share of failures of billing is above 20 % for 15 min, if at least 20 messages ended"
        assert WatchRule.objects.filter(name=name).exists()

    def test_accepts_only_saved_views_that_the_user_can_see(self):
        ada = client_of("admin", username="ada")
        bob = make_user("support", username="bob")
        own = {"owner": bob, "query": "state=FAILED"}
        hidden = SavedView.objects.create(name="hidden", shared=False, **own)
        shared = SavedView.objects.create(name="shared", shared=True, **own)
        form = FORM | {"measure": "saved_view"}
        assert ada.post("/watch-rules/new/", form | {"saved_view": hidden.pk}).status_code == 400
        assert ada.post("/watch-rules/new/", form | {"saved_view": shared.pk}).status_code == 302
        assert WatchRule.objects.get(name="Billing fails").saved_view == shared

    def test_is_only_for_admins_and_records_refused_attempts(self):
        assert client_of("operator").post("/watch-rules/new/", FORM).status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"


class TestChoiceOfMeasure:
    """Another sentence has other gaps. Earlier input stays."""

    TYPED = FORM | {"choose": "measure", "shown": "failure_rate", "measure": "entered", "window_minutes": "x"}

    def choose(self, address: str = "/watch-rules/new/", **changes: str) -> HttpResponse:
        answer = client_of("admin").post(address, self.TYPED | changes)
        assert (answer.status_code, WatchRule.objects.filter(is_built_in=False).count()) == (200, 0)
        return answer

    def test_keeps_what_the_new_sentence_has_and_carries_the_rest(self):
        answer = self.choose(webhook_url="https://hooks.example", operation_name="createInvoice")
        form = answer.context["form"]
        assert {field.name: field.value() for field in form} == {
            "name": "Billing fails",
            "enabled": True,
            "measure": "entered",
            "limit": "20",
            "state": "FAILED",
            "service_name": "billing",
            "operation_name": "createInvoice",
            "source_system": None,
            "failed_error_code": None,
            "window_minutes": "x",
            "quiet_minutes": "30",
            "mail_to": "ops@example.org, night@example.org",
            "webhook_url": "https://hooks.example",
            "webhook_format": None,
            "webhook_key": None,
            "reason": "requested by billing",
        }
        assert answer.context["carried"] == [("at_least", "20")]
        assert "c-field-error" not in text_of(answer)

    def test_takes_the_default_limit_of_the_new_measure_only_if_it_was_not_changed(self):
        client = client_of("admin")
        for limit, shown in (("5", 60), ("6", "6")):
            typed = self.TYPED | {"measure": "age", "limit": limit}
            answer = client.post("/watch-rules/new/", typed)
            assert answer.context["form"]["limit"].value() == shown

    def test_drops_a_state_that_the_new_sentence_cannot_have(self):
        answer = self.choose(measure="present", shown="entered", state="OK")
        assert answer.context["form"]["state"].value() == "FAILED"

    def test_keeps_an_unchecked_box(self):
        typed = {name: value for name, value in self.TYPED.items() if name != "enabled"}
        answer = client_of("admin").post("/watch-rules/new/", typed)
        assert answer.context["form"]["enabled"].value() is False

    def test_is_possible_for_a_stored_rule_and_in_the_address_that_a_script_shows(self):
        rule = make_rule()
        client, address = client_of("admin"), f"/watch-rules/{rule.pk}/"
        answer = client.post(address, self.TYPED, headers={"HX-Request": "true"})
        assert answer.headers["HX-Replace-Url"] == f"{address}?measure=entered"
        assert answer.context["form"]["name"].value() == "Billing fails"
        rule.refresh_from_db()
        assert (rule.name, rule.measure) == ("Failed", "present")

    def test_is_kept_with_everything_else_when_the_form_is_refused(self):
        typed = {name: value for name, value in self.TYPED.items() if name != "choose"}
        answer = client_of("admin").post("/watch-rules/new/", typed | {"state": "FAILED"})
        assert answer.status_code == 400
        text = text_of(answer)
        assert '<input type="hidden" name="at_least" value="20">' in text
        for value in ("Billing fails", "x", "ops@example.org, night@example.org"):
            assert f'value="{value}"' in text


class TestPreview:
    """When the rule of the form would have fired. Nothing is stored."""

    def test_counts_the_times_of_the_last_week(self):
        store(3, service_name="billing", receive_timestamp=database_clock())
        client = client_of("admin")
        form = FORM | {"look": "true", "at_least": "3"}
        form.pop("reason")
        text = text_of(client.post("/watch-rules/new/", form))
        assert re.search(r"It would have fired 1 time: from \w{3} \d\d:\d\d until now\.", text)
        assert "counts are by the hour, and shorter times may be missing" in text
        assert 'data-state="failed"' in text
        text = text_of(client.post("/watch-rules/new/", form | {"at_least": "4"}))
        assert "It would not have fired in the last week." in text
        assert not WatchRule.objects.filter(is_built_in=False).exists()

    def test_is_a_part_of_the_page_for_a_script(self):
        client, rule = client_of("admin"), make_rule()
        for address in ("/watch-rules/new/", f"/watch-rules/{rule.pk}/"):
            answer = client.post(
                address, FORM | {"look": "true", "limit": "no"}, headers={"HX-Request": "true"}
            )
            words = "Correct the values to see when the rule would have fired in the last week."
            assert outline_of(answer) == [words]

    def test_says_what_is_not_stored(self):
        rule = make_rule(service_name="billing")
        text = text_of(client_of("support").get(f"/watch-rules/{rule.pk}/"))
        assert "The past number of messages in a state is stored for all services together only." in text

    def test_of_another_measure_replaces_that_of_the_stored_rule(self):
        page = client_of("admin").get(f"/watch-rules/{make_rule().pk}/", {"measure": "failure_rate"})
        assert "It would not have fired in the last week." in text_of(page)
        assert page.context["form"]["limit"].value() == 5


class TestRulePage:
    def test_changes_a_rule_and_closes_its_alert_when_it_is_disabled(self):
        rule, client = make_rule(), client_of("admin")
        store()
        check_rules()
        changes = {"measure": "present", "state": "FAILED", "older_than_minutes": "0", "limit": "0"}
        form = FORM | changes | {"name": "Failed"}
        address = f"/watch-rules/{rule.pk}/"
        assert send_form(client, address, form).status_code == 302
        assert Alert.objects.get().closed_at is None
        del form["enabled"]
        send_form(client, address, form)
        rule.refresh_from_db()
        assert (rule.enabled, rule.service_name) == (False, "billing")
        assert Alert.objects.get().closed_at is not None
        assert client.get("/watch-rules/1234/").status_code == 404

    @override_settings(EMAIL_HOST="localhost", EMAIL_PORT=1)
    def test_shows_who_was_notified_and_who_could_not_be(self):
        mail_to = ["ops@example.org", "night@example.org"]
        rule = make_rule(mail_to=mail_to, webhook_url="https://hooks.example/secret-7")
        store()
        check_rules()
        send_notices()
        text = text_of(client_of("support").get(f"/watch-rules/{rule.pk}/"))
        assert "ops@example.org" in text
        assert "secret-7" not in text
        page = client_of("admin", username="root").get(f"/watch-rules/{rule.pk}/")
        assert "secret-7" in text_of(page)
        assert page.context["form"]["mail_to"].value() == "ops@example.org, night@example.org"


class TestDeleteRule:
    def test_requires_a_reason_and_does_not_delete_a_built_in_rule(self):
        rule, client = make_rule(), client_of("admin")
        address = f"/watch-rules/{rule.pk}/delete/"
        refused = client.post(address, {"reason": " "})
        assert (refused.status_code, refused.context["form"].errors) == (400, {})
        assert refused.context["form"]["name"].value() == "Failed"
        answer = client.post(address, {"reason": "no use"})
        assert (answer.url, notices_of(answer)) == ("/watch-rules/", ["Rule Failed deleted."])
        own = WatchRule.objects.create(name="own", measure="present", state="NEW", limit=1, is_built_in=True)
        assert client.post(f"/watch-rules/{own.pk}/delete/", {"reason": "no"}).status_code == 404
        assert not WatchRule.objects.filter(pk=rule.pk).exists()
