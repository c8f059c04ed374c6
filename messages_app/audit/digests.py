"""Digests that only who has the console's secret key can make: of seals, and of tombstones."""

import hmac
from hashlib import sha256

from django.conf import settings

_PURPOSE = b"hubconsole audit seal"


def digest_of(previous: str, told: str) -> str:
    """Return 64 hexadecimal digits for what is told, after what has the digest `previous`."""
    return _digest(previous, told, settings.SECRET_KEY)


def is_digest(digest: str, previous: str, told: str) -> bool:
    """Whether a digest was made of this, with the key of now or one of before."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(hmac.compare_digest(_digest(previous, told, key), digest) for key in keys)


def _digest(previous: str, told: str, key: str) -> str:
    own_key = hmac.digest(key.encode(), _PURPOSE, sha256)
    return hmac.new(own_key, f"{previous} {told}".encode(), sha256).hexdigest()
