import pytest
from django.core import mail

from messages_app.core.deliveries.attempts import MAX_ATTEMPTS
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.models import AlertNotice, WatchRule
from messages_app.messages.alerts.notices import send_notices
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.messages_app.core.deliveries.receiver import verify_webhook
from tests.messages_app.messages.alerts.rules import make_rule, store
from tests.support.page_client import client_of, text_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


def alert(**columns: object) -> None:
    make_rule(**columns)
    store()
    check_rules()


def make_due() -> None:
    AlertNotice.objects.exclude(next_at=None).update(next_at="2026-01-01T00:00:00Z")


class TestSendNotices:
    def test_sends_a_mail_when_an_alert_opens_and_when_it_closes(self):
        alert(mail_to=["ops@example.org"])
        assert (send_notices(), send_notices()) == (1, 0)
        Message.objects.update(state="OK")
        fold_changes()
        check_rules()
        send_notices()
        first, second = mail.outbox
        assert (first.subject, first.to) == ("[Hub Console] Alert: Failed", ["ops@example.org"])
        assert "Failed: 1, the limit is 0." in first.body
        assert second.subject == "[Hub Console] Closed: Failed"

    def test_signs_the_body_for_a_webhook(self, receiver):
        alert(webhook_url=receiver.url)
        assert send_notices() == 1
        ((headers, body),) = receiver.got
        found = verify_webhook(headers, body)
        assert (found["rule"], found["turn"], found["value"]) == ("Failed", "opened", 1)
        assert headers["webhook-id"] == f"notice-{AlertNotice.objects.get().pk}"

    def test_gives_up_after_the_last_attempt(self, receiver):
        receiver.status = 503
        alert(webhook_url=receiver.url)
        for _ in range(MAX_ATTEMPTS + 2):
            send_notices()
            make_due()
        notice = AlertNotice.objects.get()
        assert (len(receiver.got), notice.attempts, notice.next_at) == (MAX_ATTEMPTS, MAX_ATTEMPTS, None)
        assert notice.error == "127.0.0.1 answered 503."

    def test_sends_once_the_receiver_is_back(self, receiver):
        receiver.status = 503
        alert(webhook_url=receiver.url)
        assert (send_notices(), send_notices()) == (0, 0)
        receiver.status = 200
        make_due()
        assert send_notices() == 1
        assert AlertNotice.objects.get().error == ""
        assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1

    def test_follows_no_redirect(self, receiver):
        receiver.status = 302
        alert(webhook_url=receiver.url)
        assert send_notices() == 0
        assert len(receiver.got) == 1

    @pytest.mark.parametrize(
        ("odd", "why"), [({"name": "a\nBcc: b@evil.example"}, "newline"), ({"webhook_url": "é"}, "ASCII")]
    )
    def test_sends_the_others_after_a_notice_that_cannot_be_written(self, receiver, odd, why):
        columns = {"name": "Odd", "mail_to": ["ops@example.org"]} | odd
        if "webhook_url" in odd:
            columns |= {"mail_to": [], "webhook_url": receiver.url + odd["webhook_url"]}
        make_rule(**columns)
        alert(webhook_url=receiver.url)
        assert send_notices() == 1
        assert (len(receiver.got), len(mail.outbox)) == (1, 0)
        assert why in AlertNotice.objects.get(alert__rule__name=columns["name"]).error

    def test_calls_only_hosts_that_the_settings_name(self, receiver, settings):
        alert(webhook_url=receiver.url)
        settings.WEBHOOK_HOSTS = ["hooks.example.org"]
        assert send_notices() == 0
        assert receiver.got == []
        assert "HUBCONSOLE_WEBHOOK_HOSTS" in AlertNotice.objects.get().error

    def test_calls_only_internal_addresses_that_the_settings_name(self, receiver, settings):
        alert(webhook_url=receiver.url.replace("127.0.0.1", "localhost"))
        settings.WEBHOOK_HOSTS, settings.WEBHOOK_NETWORKS = ["localhost"], []
        assert send_notices() == 0
        assert receiver.connections == 0
        text = text_of(client_of("support").get(f"/watch-rules/{WatchRule.objects.get(name='Failed').pk}/"))
        assert "127.0.0.1, is not on the internet or in a network of HUBCONSOLE_WEBHOOK_NETWORKS" in text


@pytest.mark.django_db(transaction=True)
class TestConcurrentSenders:
    def test_send_each_notice_once(self, receiver):
        alert(webhook_url=receiver.url)
        assert sum(in_threads(*[send_notices] * 5)) == 1
        assert len(receiver.got) == 1
