"""
Tokens: a check that returns New gives one, which completes the document. Tokens are signed and not stored.

A token names the document and the start of its processing. When that start is overwritten, by a resolver or
by an operator who has the document processed again, every earlier token becomes invalid.

Source: docs/spec/promises.md, I-40; docs/spec/bad_input.md, H48.
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core import signing
from django.utils.crypto import constant_time_compare

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def token_for(trigger_id: str, uuid: str, time: datetime) -> str:
    """Return the token of a document whose processing entry has this time."""
    return _sign(str((time - _EPOCH) // _MICROSECOND), _salt(trigger_id, uuid))


def start_of(token: str, trigger_id: str, uuid: str) -> datetime | None:
    """Return the start in a token; None if the token does not belong to this document."""
    salt = _salt(trigger_id, uuid)
    text = strip_signature(token)
    # A text with a surrogate, which is not ASCII, cannot be signed.
    if not (token.isascii() and constant_time_compare(token, _sign(text, salt))):
        # Django's signer also knows the earlier keys.
        try:
            text = signing.Signer(salt=salt).unsign(token)
        except signing.BadSignature:
            return None
    return _EPOCH + int(text) * _MICROSECOND


def strip_signature(token: str) -> str:
    """Return a token without its signature. The rest gives no access."""
    return token.partition(":")[0]


def sign_token(text: str, trigger_id: str, uuid: str) -> str:
    """Sign the result of `unsigned` again, and return the document's token."""
    return _sign(strip_signature(text), _salt(trigger_id, uuid))


def _salt(trigger_id: str, uuid: str) -> str:
    document = hashlib.sha256(json.dumps([trigger_id, uuid]).encode()).hexdigest()
    return f"document_history:{document}"


def _sign(text: str, salt: str) -> str:
    """
    Return what `Signer(salt=salt).sign(text)` of Django returns.

    Its objects and checks take longer than the signature, and a batch signs each of its documents.
    """
    key = hashlib.sha256(f"{salt}signer{settings.SECRET_KEY}".encode()).digest()
    signature = urlsafe_b64encode(hmac.digest(key, text.encode(), "sha256")).rstrip(b"=").decode()
    return f"{text}:{signature}"
