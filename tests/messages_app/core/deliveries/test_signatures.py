"""The library of the Standard Webhooks specification judges the headers as a receiver does."""

from datetime import UTC, datetime

import pytest
from standardwebhooks import WebhookVerificationError

from messages_app.core.deliveries import signatures
from messages_app.core.deliveries.signatures import signed_headers
from tests.messages_app.core.deliveries.receiver import OTHER_SECRET, SECRET, verify_webhook

BODY = b'{"alert_id": 1}'


class FixedClock(datetime):
    @classmethod
    def now(cls, tz=None) -> datetime:
        return datetime.fromtimestamp(1614265330, tz=UTC)


class TestSignedHeaders:
    def test_are_those_of_the_example_of_the_specification(self, settings, monkeypatch):
        settings.WEBHOOK_SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
        monkeypatch.setattr(signatures, "datetime", FixedClock)
        headers = signed_headers(b'{"test": 2432232314}', delivery="msg_p5jXN8AQM9LWM0D4loKWxJek")
        assert headers == {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }

    def test_are_accepted_with_the_secret_only(self, settings):
        settings.WEBHOOK_SECRETS = [SECRET]
        headers = signed_headers(BODY, delivery="notice-1")
        assert verify_webhook(headers, BODY) == {"alert_id": 1}
        with pytest.raises(WebhookVerificationError, match="No matching signature"):
            verify_webhook(headers, BODY, secret=OTHER_SECRET)

    @pytest.mark.parametrize(
        ("changes", "body"), [({}, b'{"alert_id": 2}'), ({"webhook-id": "notice-2"}, BODY)]
    )
    def test_are_refused_with_another_body_or_id(self, settings, changes, body):
        settings.WEBHOOK_SECRETS = [SECRET]
        headers = signed_headers(BODY, delivery="notice-1") | changes
        with pytest.raises(WebhookVerificationError, match="No matching signature"):
            verify_webhook(headers, body)

    def test_are_accepted_with_both_secrets_while_one_replaces_the_other(self, settings):
        settings.WEBHOOK_SECRETS = [OTHER_SECRET, SECRET]
        headers = signed_headers(BODY, delivery="notice-1")
        assert len(headers["webhook-signature"].split(" ")) == 2
        for secret in (SECRET, OTHER_SECRET):
            assert verify_webhook(headers, BODY, secret=secret) == {"alert_id": 1}

    def test_have_no_signature_without_a_secret(self, settings):
        settings.WEBHOOK_SECRETS = []
        assert signed_headers(BODY, delivery="notice-1").keys() == {"webhook-id", "webhook-timestamp"}
