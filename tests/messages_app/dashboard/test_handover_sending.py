"""The handover is sent to a real mail server and a real receiver of webhooks, also while they are down."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.notes.models import Note
from tests.messages_app.core.deliveries.products import serving
from tests.messages_app.core.deliveries.receiver import verify_webhook
from tests.messages_app.dashboard.test_handover import fail
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.mail_server import MailServer, receive_mails
from tests.support.page_client import client_of, notices_of, text_of

pytestmark = pytest.mark.django_db

FORM: dict[str, str] = {"since": "-8h", "channel": "mail-ops@example.org"}


@pytest.fixture
def mail_server(settings):
    with receive_mails(settings) as server:
        yield server


def last_notice(client, form: dict[str, str]) -> str:
    return notices_of(client.post("/handover/send/", form))[-1]


class TestChannels:
    def test_are_those_of_watch_rules(self):
        make_rule()
        client = client_of("support")
        assert "No watch rule has a channel." in text_of(client.get("/handover/"))
        words = "No watch rule has a channel. Add an email address or a webhook to one."
        assert last_notice(client, FORM) == f"It was not sent: {words}"

    def test_are_not_products_for_incidents(self, receiver):
        make_rule(webhook_url=receiver.url, webhook_format="opsgenie", webhook_key="k")
        assert "No watch rule has a channel." in text_of(client_of("support").get("/handover/"))

    def test_that_no_rule_has_are_refused(self, mail_server: MailServer):
        make_rule(mail_to=["ops@example.org"])
        client = client_of("support")
        words = "It was not sent: No watch rule has this channel."
        assert last_notice(client, FORM | {"channel": "mail-eve@example.org"}) == words
        assert mail_server.messages == []


class TestMail:
    def test_has_the_text_of_the_page(self, mail_server: MailServer):
        make_rule(mail_to=["ops@example.org"])
        fail("outage", 2)
        client = client_of("support", username="ada")
        client.post("/notes/shift/0/", {"text": "Call the bank – soon."})
        assert last_notice(client, FORM) == "Handover sent to ops@example.org."
        (mail,) = mail_server.messages
        assert (mail["To"], mail["Subject"]) == ("ops@example.org", "[Hub Console] Handover")
        body = mail.get_payload(decode=True).decode().replace("\r\n", "\n")
        page = client.get("/handover/?since=-8h")
        # The first line has the times, and ages may be a second older.
        assert body.splitlines()[1:] == page.context["text"].splitlines()[1:]
        assert "- ada: Call the bank – soon." in body
        assert "Sent to ops@example.org by ada" in text_of(page)

    def test_that_the_server_refuses_is_shown_and_can_be_sent_again(self, mail_server: MailServer):
        make_rule(mail_to=["first@example.org", "ops@example.org"])
        mail_server.refuses = True
        client = client_of("support", username="ada")
        client.post("/notes/shift/0/", {"text": "Call the bank."})
        answer = client.post("/handover/send/", FORM)
        words = "The mail server refused the address: 550 no such mailbox"
        assert notices_of(answer)[-1] == f"It was not sent to ops@example.org: {words}"
        text = text_of(client.get(answer.url))
        assert "Not sent to ops@example.org by ada" in text
        assert words in text
        assert "Call the bank." in text
        assert '<option value="mail-ops@example.org" selected>' in text
        entry = AuditEntry.objects.get(action="send_handover")
        assert (entry.details["channel"], entry.details["error"]) == ("ops@example.org", words)
        mail_server.refuses = False
        assert last_notice(client, FORM) == "Handover sent to ops@example.org."
        assert len(mail_server.messages) == 1

    def test_to_a_server_that_is_down_says_so(self, settings):
        with receive_mails(settings):
            pass
        make_rule(mail_to=["ops@example.org"])
        client = client_of("support")
        words = "The mail server cannot be reached: the connection was refused."
        assert last_notice(client, FORM) == f"It was not sent to ops@example.org: {words}"
        assert words in text_of(client.get("/handover/"))


class TestWebhook:
    @pytest.fixture
    def form(self, receiver) -> dict[str, str]:
        return FORM | {"channel": f"webhook-{make_rule(webhook_url=receiver.url).pk}"}

    def test_has_the_text_and_a_signature(self, receiver, form):
        client = client_of("support")
        fail("outage", 2)
        assert last_notice(client, form).startswith("Handover sent to webhook http://127.0.0.1:")
        ((headers, body),) = receiver.got
        content = verify_webhook(headers, body)
        assert (content["event"], headers["webhook-id"][:9]) == ("handover", "handover-")
        assert "\n- billing: Outage: 2 failing" in content["text"]
        assert content["since"] < content["until"]

    def test_has_the_text_in_the_format_of_the_rule(self, receiver, settings):
        with serving("slack") as slack:
            rule = make_rule(webhook_url=slack.url, webhook_format="slack")
            fail("outage", 2)
            last_notice(client_of("support"), FORM | {"channel": f"webhook-{rule.pk}"})
        (content,) = slack.got
        assert slack.refusals == []
        assert content["text"].startswith("Handover from ")
        assert "\n- billing: Outage: 2 failing" in content["blocks"][1]["text"]["text"]

    @pytest.mark.parametrize("status", [500, 302, 404])
    def test_that_answers_an_error_is_shown_with_its_status(self, receiver, form, status):
        receiver.status = status
        client = client_of("support")
        assert last_notice(client, form).endswith(f": 127.0.0.1 answered {status}.")
        text = text_of(client.get("/handover/"))
        assert f"127.0.0.1 answered {status}." in text
        assert receiver.url not in text

    def test_that_is_down_is_shown_in_words_and_loses_nothing(self, receiver, form):
        receiver.shutdown(), receiver.server_close()
        client = client_of("support", username="ada")
        client.post("/notes/shift/0/", {"text": "Call the bank."})
        words = "127.0.0.1 cannot be reached: the connection was refused."
        assert last_notice(client, form).endswith(f": {words}")
        assert Note.objects.get().text == "Call the bank."
        assert AuditEntry.objects.get(action="send_handover").details["error"] == words

    def test_to_a_host_that_settings_do_not_name_is_refused(self, receiver, form, settings):
        settings.WEBHOOK_HOSTS = []
        assert "is not listed in HUBCONSOLE_WEBHOOK_HOSTS" in last_notice(client_of("support"), form)
        assert receiver.got == []
