"""
What was shown before a job is started: sealed into the form, so that the answer can be held against it.

It names the set and the number, it grows old, and whatever is sent with it makes one job.
"""

import re
from dataclasses import asdict, dataclass
from secrets import token_hex

from django.core import signing

# From so many messages on the number has to be typed.
TYPED_FROM = 1_000
_MAX_AGE_SECONDS = 15 * 60
_SALT = "new-job"
# People write 12 400, 12,400 or 12'400.
_BETWEEN_DIGITS = re.compile(r"[\s\u202f.,'_]")


class NotShown(Exception):
    """The form does not say what was shown, or that was too long ago."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """
    What the page showed.

    Args:
        about: the options that decide what the job is about.
        planned: messages of the set, about.
        to_type: the number to be typed, None where none is.
        nonce: two answers to the same page have the same.
    """

    kind: str
    filter: dict[str, object]
    about: dict[str, object]
    planned: int
    to_type: int | None
    nonce: str

    def sealed(self) -> str:
        return signing.dumps(asdict(self), salt=_SALT)

    def is_typed(self, text: str) -> bool:
        """Whether the number was typed, where one has to be."""
        return self.to_type is None or _BETWEEN_DIGITS.sub("", text) == str(self.to_type)


def shown(
    *,
    kind: str,
    filter: dict[str, object],
    about: dict[str, object],
    planned: int,
    to_do: int,
    is_exact: bool,
) -> Shown:
    """Return what a page shows now."""
    return Shown(
        kind=kind,
        filter=filter,
        about=about,
        planned=planned,
        to_type=None if to_do < TYPED_FROM else to_do if is_exact else rounded(to_do),
        nonce=token_hex(12),
    )


def rounded(number: int) -> int:
    """Return an estimate with two digits that are not 0, as it is shown and typed."""
    return round(number, 2 - len(str(number)))


def opened(text: str) -> tuple[Shown, bool]:
    """
    Return what the form says was shown, and whether that is too long ago.

    Raises:
        NotShown: this console did not write it.
    """
    try:
        return Shown(**signing.loads(text, salt=_SALT, max_age=_MAX_AGE_SECONDS)), False
    except signing.SignatureExpired:
        return Shown(**signing.loads(text, salt=_SALT)), True
    except (signing.BadSignature, ValueError) as error:
        raise NotShown("This form is not one of this console's.") from error
