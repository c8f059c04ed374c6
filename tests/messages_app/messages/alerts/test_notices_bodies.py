"""The texts of notices as a whole, and which of their rows each statement changes."""

import json
from datetime import timedelta

import pytest
from django.core import mail

from messages_app.core.clock import database_clock
from messages_app.core.deliveries.attempts import TAKING
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.alerts.notices import send_notices, statements
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.factories import NOON
from tests.support.plans import join_by_loops

pytestmark = pytest.mark.django_db


def make_alert(**columns: object) -> Alert:
    rule = make_rule(limit=2.5, measure="entered")
    times = {"opened_at": NOON, "closed_at": NOON + timedelta(hours=1)}
    return Alert.objects.create(rule=rule, value=3, worst=4, **times | columns)


def make_call(alert: Alert, url: str, **columns: object) -> AlertNotice:
    """Store a notice to the webhook of the alert's rule."""
    WatchRule.objects.filter(pk=alert.rule_id).update(webhook_url=url)
    return make_notice(alert, channel="webhook", target=url, **columns)


def make_notice(alert: Alert, number: int = 0, **columns: object) -> AlertNotice:
    defaults = {"turn": "opened", "channel": "mail", "target": f"ops{number}@example.org"}
    return AlertNotice.objects.create(alert=alert, **defaults | columns)


def rows() -> list[tuple[int, bool, bool, str]]:
    """Return the attempts, whether it was sent, whether it is due again, and the error of each notice."""
    return [
        (notice.attempts, notice.sent_at is not None, notice.next_at is not None, notice.error)
        for notice in AlertNotice.objects.order_by("pk")
    ]


class TestTexts:
    def test_are_complete_in_a_mail_about_an_open_alert(self):
        make_notice(make_alert(closed_at=None))
        assert send_notices() == 1
        (message,) = mail.outbox
        assert (message.subject, message.to) == ("[Hub Console] Alert: Failed", ["ops0@example.org"])
        assert message.body == "Failed: 3, the limit is 2.5.\nOpen since 2026-11-01 12:00:00 UTC."

    def test_are_complete_in_a_mail_about_a_closed_alert(self):
        make_notice(make_alert(), turn="closed")
        assert send_notices() == 1
        (message,) = mail.outbox
        assert message.subject == "[Hub Console] Closed: Failed"
        assert message.body == (
            "Failed: 3, the limit is 2.5.\nOpen since 2026-11-01 12:00:00 UTC.\n"
            "Closed at 2026-11-01 13:00:00 UTC; the worst value was 4."
        )

    @pytest.mark.parametrize("turn", ["opened", "closed"])
    def test_are_complete_in_a_webhook(self, receiver, turn):
        alert = make_alert(closed_at=None) if turn == "opened" else make_alert()
        make_call(alert, receiver.url, turn=turn)
        assert send_notices() == 1
        ((_, body),) = receiver.got
        assert json.loads(body) == {
            "alert_id": alert.pk,
            "turn": turn,
            "rule": "Failed",
            "measure": "entered",
            "limit": 2.5,
            "value": 3,
            "worst": 4,
            "opened_at": "2026-11-01T12:00:00+00:00",
            "closed_at": None if turn == "opened" else "2026-11-01T13:00:00+00:00",
        }


class TestRows:
    def test_of_notices_that_are_due_are_taken_the_oldest_first(self, monkeypatch):
        monkeypatch.setitem(TAKING, "most", 2)
        alert = make_alert()
        now = database_clock()
        for number, minutes in enumerate((-10, -1, -30, 10)):
            make_notice(alert, number, next_at=now + timedelta(minutes=minutes))
        make_notice(alert, 4, next_at=None)
        assert send_notices() == 2
        assert sorted(message.to[0] for message in mail.outbox) == ["ops0@example.org", "ops2@example.org"]
        sent, waits = (1, True, False, ""), (0, False, True, "")
        assert rows() == [sent, waits, sent, waits, (0, False, False, "")]
        assert send_notices() == 1
        assert rows()[1] == sent
        assert send_notices() == 0

    @pytest.mark.parametrize(("attempts", "seconds"), [(0, 30), (3, 240), (10, 30_720), (12, 30_720)])
    def test_of_taken_notices_are_due_again_after_a_pause_that_doubles(self, attempts, seconds):
        notice = make_notice(make_alert(), attempts=attempts)
        before = database_clock()
        assert statements.fetch_rows("take_notices", TAKING) == [(notice.pk,)]
        notice.refresh_from_db()
        assert notice.attempts == attempts + 1
        assert 0 <= (notice.next_at - before).total_seconds() - seconds < 20

    def test_of_a_failed_attempt_have_its_error_and_others_none(self, receiver):
        alert = make_alert()
        receiver.status = 503
        make_call(alert, receiver.url)
        make_notice(alert)
        assert send_notices() == 1
        assert rows() == [(1, False, True, "127.0.0.1 answered 503."), (1, True, False, "")]

    def test_of_a_notice_that_was_sent_keep_no_error_of_a_slower_attempt(self):
        alert = make_alert()
        sent = make_notice(alert)
        make_notice(alert, 1)
        assert statements.count("record_sent", {"notice_id": sent.pk}) == 1
        values = {"notice_id": sent.pk, "error": "too slow", "pause": 0, "max_attempts": 8}
        assert statements.count("record_failed_attempt", values) == 0
        assert rows() == [(0, True, False, ""), (0, False, True, "")]

    @pytest.mark.parametrize(("attempts", "is_due"), [(7, True), (8, False)])
    def test_of_the_last_attempt_are_not_due_again(self, attempts, is_due):
        notice = make_notice(make_alert(), attempts=attempts)
        values = {"notice_id": notice.pk, "error": "e", "pause": 0, "max_attempts": 8}
        assert statements.count("record_failed_attempt", values) == 1
        assert rows() == [(attempts, False, is_due, "e")]

    def test_are_due_after_the_pause_that_the_receiver_asks_for_if_it_is_longer(self):
        alert, now = make_alert(), database_clock()
        for number, pause in enumerate((600, 10)):
            notice = make_notice(alert, number, next_at=now + timedelta(seconds=60))
            values = {"notice_id": notice.pk, "error": "e", "pause": pause, "max_attempts": 8}
            statements.count("record_failed_attempt", values)
        pauses = AlertNotice.objects.order_by("pk").values_list("next_at", flat=True)
        assert [round((due - now).total_seconds(), -1) for due in pauses] == [600, 60]


class TestTaking:
    def test_takes_no_more_notices_than_its_limit_for_any_plan(self):
        alert = make_alert()
        for number in range(7):
            make_notice(alert, number)
        join_by_loops()
        assert len(statements.fetch_rows("take_notices", {"pause": 30, "most": 3})) == 3
