"""
The headers of a webhook by the Standard Webhooks specification: its id, its time, and its signatures.

A signature is an HMAC-SHA256 of the id, the time and the body, so that none of them can be used with another.
While a secret is replaced, a webhook has one signature for each of the two secrets, the new one first.

Source: docs/howto/receive_webhooks.md.
"""

from datetime import UTC, datetime

from django.conf import settings
from standardwebhooks import Webhook


def signed_headers(body: bytes, *, delivery: str) -> dict[str, str]:
    """
    Return the headers of a webhook; without a secret in the settings, it is not signed.

    Args:
        delivery: the id of what is delivered, which is the same in each attempt.
    """
    now = datetime.now(UTC)
    headers = {"webhook-id": delivery, "webhook-timestamp": str(int(now.timestamp()))}
    signatures = [Webhook(secret).sign(delivery, now, body.decode()) for secret in settings.WEBHOOK_SECRETS]
    if signatures:
        headers["webhook-signature"] = " ".join(signatures)
    return headers
