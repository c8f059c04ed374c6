"""
Recovery codes: each replaces one code of an app, or one passkey.

They are random enough for one round of SHA-256, so that a reader of the table cannot use them.

Source: docs/contributing/spec/promises.md, S-54.
"""

import re
import secrets

from django.contrib.auth.models import User
from django.db import transaction

from messages_app.access.second_factor.locks import lock_factors
from messages_app.access.second_factor.models import RecoveryCode
from messages_app.access.token_services import digest_key

RECOVERY_CODES = 10
# Letters and digits that people do not mix up: 5 bits each, 125 in all.
_SIGNS = "abcdefghijkmnpqrstuvwxyz23456789"
_GROUPS, _LENGTH = 5, 5
_CODE = re.compile(f"[{_SIGNS}]{{{_GROUPS * _LENGTH}}}")


def count_codes(user: User) -> int:
    """Return the number of codes that the user has not used."""
    left: int = RecoveryCode.objects.filter(user_id=user.pk).count()
    return left


def replace_codes(user: User) -> list[str]:
    """Create and return recovery codes. Earlier ones are no longer valid."""
    codes = [_make_code() for _ in range(RECOVERY_CODES)]
    with transaction.atomic():
        lock_factors(user)
        remove_codes(user)
        RecoveryCode.objects.bulk_create(
            RecoveryCode(user_id=user.pk, code_sha256=_digest_code(code)) for code in codes
        )
    return codes


def use_code(user: User, code: str) -> int:
    """Remove a code. Return the number of removed codes: 1 for one of several attempts, else 0."""
    plain = code.replace("-", "")
    if not _CODE.fullmatch(plain):
        return 0
    removed: int
    removed, _ = RecoveryCode.objects.filter(user_id=user.pk, code_sha256=_digest_code(plain)).delete()
    return removed


def remove_codes(user: User) -> None:
    RecoveryCode.objects.filter(user_id=user.pk).delete()


def _make_code() -> str:
    signs = "".join(secrets.choice(_SIGNS) for _ in range(_GROUPS * _LENGTH))
    return "-".join(signs[at : at + _LENGTH] for at in range(0, len(signs), _LENGTH))


def _digest_code(code: str) -> str:
    return digest_key(code.replace("-", ""))
