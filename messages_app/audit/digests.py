"""
Keyed digests of the audit log: of its seals, its tombstones, and of subjects that it must not name.

A role that can only write to the database cannot make one, because the key is in the environment.
"""

import hmac
from hashlib import sha256

from django.conf import settings

from messages_app.shared.erased_values import digest_value

_SEAL, _SUBJECT = b"hubconsole audit seal", b"hubconsole erased subject"


def digest_of(previous: str, content: str) -> str:
    """Return 64 hexadecimal digits: the digest of `content`, chained to the digest `previous`."""
    return _digest_text(_SEAL, f"{previous} {content}", settings.SECRET_KEY)


def is_digest(digest: str, previous: str, content: str) -> bool:
    """Whether this is the digest of a content, made with the current secret key or a previous one."""
    return _is_made_of(digest, _SEAL, f"{previous} {content}")


def subject_digest(value: str) -> str:
    """Return 64 hexadecimal digits that name a subject where its key must not appear."""
    return _digest_text(_SUBJECT, value, settings.SECRET_KEY)


def subject_keys() -> tuple[bytes, ...]:
    """Return the keys of digests of subjects: that of the current secret key, then those of previous ones."""
    return tuple(_derive_key(_SUBJECT, key) for key in _list_secrets())


def is_subject(digest: str, value: str) -> bool:
    """
    Whether a value is the key of the subject with this digest, for the current secret key or a previous one.
    """
    return _is_made_of(digest, _SUBJECT, value)


def _is_made_of(digest: str, purpose: bytes, text: str) -> bool:
    # Compared as bytes, because a digest from the database may be any text.
    return any(
        hmac.compare_digest(_digest_text(purpose, text, key).encode(), digest.encode())
        for key in _list_secrets()
    )


def _list_secrets() -> tuple[str, ...]:
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


def _digest_text(purpose: bytes, text: str, key: str) -> str:
    return digest_value(_derive_key(purpose, key), text)


def _derive_key(purpose: bytes, key: str) -> bytes:
    return hmac.digest(key.encode(), purpose, sha256)
