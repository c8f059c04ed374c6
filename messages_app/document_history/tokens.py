"""
Tokens: a check that returns New gives one, which completes the document. Tokens are signed and not stored.

A token names the document and the start of its processing. When that start is overwritten, by a resolver or
by an operator who has the document processed again, every earlier token becomes invalid.

Source: docs/contributing/spec/promises.md, I-40; docs/contributing/spec/bad_input.md, H48.
"""

import hashlib
import json
from datetime import UTC, datetime, timedelta

from django.core import signing

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def token_for(trigger_id: str, uuid: str, time: datetime) -> str:
    """Return the token of a document whose processing entry has this time."""
    return _signer_of_document(trigger_id, uuid).sign(str((time - _EPOCH) // _MICROSECOND))


def start_of(token: str, trigger_id: str, uuid: str) -> datetime | None:
    """Return the start in a token; None if the token does not belong to this document."""
    try:
        text = _signer_of_document(trigger_id, uuid).unsign(token)
    except signing.BadSignature:
        return None
    return _EPOCH + int(text) * _MICROSECOND


def strip_signature(token: str) -> str:
    """Return a token without its signature. The rest gives no access."""
    return token.partition(":")[0]


def sign_token(text: str, trigger_id: str, uuid: str) -> str:
    """Sign the result of `unsigned` again, and return the document's token."""
    return _signer_of_document(trigger_id, uuid).sign(strip_signature(text))


def _signer_of_document(trigger_id: str, uuid: str) -> signing.Signer:
    document = hashlib.sha256(json.dumps([trigger_id, uuid]).encode()).hexdigest()
    return signing.Signer(salt=f"document_history:{document}")
