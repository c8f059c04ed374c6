"""The pages of watch rules and alerts with numbers and times that all differ."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from messages_app.core.pagination.paginator import Page
from messages_app.core.reason_form import ReasonForm
from messages_app.messages.alerts.forms import RuleForm
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.alerts.views import _Line
from messages_app.messages.alerts.week_strip import Day, Mark, Week
from tests.support.page_outlines import outline_of, show_block

WHEN = "When the number of FAILED messages is above"
NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def rule(number: int, **columns: object) -> WatchRule:
    values = {
        "name": f"rule {number}",
        "measure": "present",
        "state": "FAILED",
        "limit": number + 0.5,
        "value": number + 1.5,
        "enabled": True,
        "error": "",
        "is_built_in": False,
        "checked_at": moment(number),
        "told_at": moment(number + 1),
        "mail_to": [f"a{number}@example.org", f"b{number}@example.org"],
        "webhook_url": "https://example.org/hook",
    }
    return WatchRule(rule_id=number, **values | columns)


def alert(number: int, **columns: object) -> Alert:
    values = {
        "rule": rule(number),
        "opened_at": moment(number),
        "closed_at": moment(3 * number),
        "value": number + 2.5,
        "worst": number + 3.5,
        "is_quiet": False,
    }
    return Alert(alert_id=number + 100, **values | columns)


def show(name: str, /, *, block: str = "watching_content", **values: object) -> list[str]:
    template = f"messages_app/alerts/{name}.html"
    return outline_of(show_block(template, block=block, **{"may_change": True} | values))


class TestRules:
    def test_say_that_no_one_is_notified_only_without_an_address(self):
        for columns, words in (
            ({"mail_to": []}, "a webhook"),
            ({"webhook_url": "", "mail_to": ["a@example.org"]}, "a@example.org"),
            ({"webhook_url": "", "mail_to": []}, "no one"),
        ):
            (line,) = (
                each
                for each in show("list", lines=[_Line(rule=rule(11, **columns), alert=None)])
                if "rule 11" in each
            )
            assert line.rpartition(" | ")[2].rpartition(") ")[2] == words, columns

    def test_show_all_their_numbers(self):
        lines = [
            _Line(rule=rule(11, is_built_in=True), alert=alert(12, closed_at=None)),
            _Line(rule=rule(13, error="no data", mail_to=[]), alert=None),
            _Line(rule=rule(14, enabled=False, checked_at=None, mail_to=[], webhook_url=""), alert=None),
        ]
        assert show("list", lines=lines) == [
            "All rules",
            "[New rule](/watch-rules/new/)",
            "Watch rules, those with an open alert first",
            "Rule | Opens an alert | State | Now | Checked | Notifies",
            (
                f"[rule 11](/watch-rules/11/) | (title: {WHEN} 11.5) {WHEN} 11.5 | {{failed}} open "
                "@2026-11-02T12:12:00Z | 12.5 | @2026-11-02T12:11:00Z ago | "
                "(title: a11@example.org, b11@example.org) a11@example.org, … and a webhook"
            ),
            (
                f"[rule 13](/watch-rules/13/) | (title: {WHEN} 13.5) {WHEN} 13.5 | no alert | – | "
                "(title: no data) cannot be measured | a webhook"
            ),
            f"[rule 14](/watch-rules/14/) | (title: {WHEN} 14.5) {WHEN} 14.5 | off | 15.5 | not yet | no one",
        ]

    def test_say_that_the_list_is_empty(self):
        assert show("list", lines=[]) == [
            "All rules",
            "[New rule](/watch-rules/new/)",
            "No watch rules yet. Add one to open an alert when a number is above its limit.",
        ]
        assert show("list", lines=[], may_change=False)[:2] == ["All rules", "No watch rules yet."]


WEEK = Week(
    days=[
        Day(start=moment(0), marks=[Mark(x=1.5, width=50, tone="paused", title="about Sun 00:00 for 12 h")])
    ],
    words="It would have fired 1 time: about Sun 00:00 for 12 h.",
    limits="Before Mon 09:00 by the hour.",
)


def notice(number: int, **columns: object) -> AlertNotice:
    values = {"turn": "closed", "channel": "webhook", "next_at": None, "attempts": number + 2}
    return AlertNotice(alert_id=number, **values | columns)


def show_rule(shown: WatchRule, *, block: str = "watching_content", **values: object) -> list[str]:
    context = {
        "rule": shown,
        "sentence": f"{WHEN} 11.5",
        "carried": [],
        "week": WEEK,
        "alerts": [alert(21), alert(22, closed_at=None, is_quiet=True)],
        "notices_sent": [
            notice(31, channel="mail", target="a@example.org", sent_at=moment(32)),
            notice(34, target="https://x", next_at=moment(35), error="refused"),
            notice(37, channel="mail", target="b@example.org"),
        ],
        "form": RuleForm(user=User.objects.get_or_create(username="ada")[0], measure="present", rule=shown),
        "delete_form": ReasonForm(auto_id="delete_%s"),
    }
    return show("rule", block=block, **context | values)


@pytest.mark.django_db
class TestRule:
    def test_shows_all_its_numbers(self):
        assert show_rule(rule(11)) == [
            "Now: 12.5",
            "Last checked: 2026-11-02 12:11:00 UTC",
            "Notifies: (title: a11@example.org, b11@example.org) a11@example.org, … and a webhook",
            "(/watch-rules/11/test/)",
            "Send a test",
            "Last notification: 2026-11-02 12:12:00 UTC",
            "(/watch-rules/11/)",
            "(post /watch-rules/11/)",
            "<measure=failure_rate> Share of failures",
            "<measure=entered> Changes of state",
            "<measure=present> * Messages in a state",
            "<measure=age> Oldest message",
            "<measure=saved_view> Saved view",
            "Show its sentence",
            "When the number of",
            "<state>",
            "<NEW> NEW",
            "<IN_QUEUE> IN_QUEUE",
            "<PROCESSING> PROCESSING",
            "<WAITING> WAITING",
            "<WAITING_FOR_RES> WAITING_FOR_RES",
            "<PARTLY_FAILED> PARTLY_FAILED",
            "<POSTPONED> POSTPONED",
            "<FAILED> * FAILED",
            "<CANCEL> CANCEL",
            (
                "messages of<service_name> (label: Service) unchanged for <older_than_minutes=0> "
                "(label: Minutes without a change) min is above <limit=11.5> (label: Limit)"
            ),
            "Only some of these messages",
            "Operation",
            "<operation_name>",
            "Source system",
            "<source_system>",
            "Error code",
            "<failed_error_code>",
            "(post /watch-rules/11/)",
            "(svg viewbox=0 0 100 1)",
            "{paused} (rect x=1.5 width=50 height=1) about Sun 00:00 for 12 h",
            "Mon 2",
            "It would have fired 1 time: about Sun 00:00 for 12 h. Before Mon 09:00 by the hour.",
            "Update preview",
            "Notify by email",
            "<mail_to=a11@example.org, b11@example.org>",
            "Notify by webhook",
            "<webhook_url=https://example.org/hook>",
            "Format",
            "<webhook_format>",
            "<standard> * Standard Webhooks",
            "<slack> Slack",
            "<teams> Teams",
            "<pagerduty> PagerDuty",
            "<opsgenie> Opsgenie",
            "Key of the integration",
            "<webhook_key>",
            "Notify again after (min)",
            "<quiet_minutes=30>",
            "Name",
            "<name=rule 11>",
            "<enabled> * Enabled",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Save",
            "Alerts",
            "Alerts, newest first",
            "Rule | State | Opened | Closed | Value | Worst",
            (
                "[rule 21](/watch-rules/21/) | {done} closed | @2026-11-02T12:21:00Z | "
                "@2026-11-02T13:03:00Z after 42 min | 23.5 | 24.5"
            ),
            (
                "[rule 22](/watch-rules/22/) | {failed} open no notification: one was sent shortly "
                "before | @2026-11-02T12:22:00Z | – | 24.5 | 25.5"
            ),
            "Notifications",
            "Notifications of its alerts, newest first",
            "Event | Target | Sent | Attempts",
            "alert 31 closed | mail a@example.org | 2026-11-02 12:32:00 | 33",
            "alert 34 closed | webhook https://x | due 2026-11-02 12:35:00 refused | 36",
            "alert 37 closed | mail b@example.org | given up | 39",
            "Delete rule",
            "(/watch-rules/11/delete/)",
            ("This also deletes its alerts and cannot be undone. To keep them, disable the rule instead."),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Delete rule",
        ]

    def test_shows_that_it_is_off_or_fails(self):
        assert "Last checked: off" in show_rule(rule(11, enabled=False))
        assert (
            show_rule(rule(11, error="no data."))[0]
            == "Measurement failed: no data. No alert opens or closes until it succeeds."
        )
        words = show_rule(rule(11, is_built_in=True), block="watching_words")
        assert words == [f"Built-in rule: {WHEN} 11.5"]
        assert show_rule(rule(11), block="watching_words") == [f"{WHEN} 11.5"]
        assert "Delete rule" not in show_rule(rule(11, is_built_in=True))
        assert "No alerts yet." in show_rule(rule(11), alerts=[])
        assert "Notifications" not in show_rule(rule(11), notices_sent=[])

    def test_hides_addresses_and_forms_from_readers(self):
        lines = show_rule(rule(11), may_change=False)
        assert "alert 34 closed | webhook | due 2026-11-02 12:35:00 refused | 36" in lines
        assert "Save" not in lines
        assert "It would have fired 1 time: about Sun 00:00 for 12 h. Before Mon 09:00 by the hour." in lines
        assert "Delete rule" not in lines


class TestAlerts:
    @pytest.mark.django_db
    def test_show_all_their_numbers(self):
        page = Page(rows=[], next_cursor="n1", previous_cursor="p1")
        assert show("alerts", alerts=[alert(41), alert(42)], page=page) == [
            "Alerts, newest first",
            "Rule | State | Opened | Closed | Value | Worst",
            (
                "[rule 41](/watch-rules/41/) | {done} closed | @2026-11-02T12:41:00Z | "
                "@2026-11-02T14:03:00Z after 82 min | 43.5 | 44.5"
            ),
            (
                "[rule 42](/watch-rules/42/) | {done} closed | @2026-11-02T12:42:00Z | "
                "@2026-11-02T14:06:00Z after 84 min | 44.5 | 45.5"
            ),
            "(label: Pages) [Newer](?cursor=p1)",
            "2 on this page",
            "[Older](?cursor=n1)",
        ]
        assert show("alerts", alerts=[]) == [
            "No alerts yet",
            "An alert opens when a [watch rule](/watch-rules/) is above its limit.",
        ]
