"""
A rule for new passwords: not one of a list of breached passwords that the company keeps on its own disk.

The list is that of Pwned Passwords in its files by the first five digits of a SHA-1: one small file is read.
"""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

_DIGITS = 5


class NotBreached:
    """Rejects a password of the list. Without a list, or the file of a password, it rejects none."""

    def validate(self, password: str, user: User | None = None) -> None:
        folder: Path | None = settings.BREACHED_PASSWORDS
        if folder and _is_listed(password, folder):
            text = "This password was in a data breach. Choose another one."
            raise ValidationError(text, code="password_breached")

    def get_help_text(self) -> str:
        return (
            "Your password must not be one that was in a data breach." if settings.BREACHED_PASSWORDS else ""
        )


def _is_listed(password: str, folder: Path) -> bool:
    # The list has SHA-1; nothing is stored.
    digest = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()
    file = folder / f"{digest[:_DIGITS]}.txt"
    rest = digest[_DIGITS:]
    try:
        with file.open(encoding="ascii") as lines:
            return any(line.partition(":")[0].strip() == rest for line in lines)
    except FileNotFoundError:
        return False
