"""
Names that users may not have, because the audit log uses them for the console itself.

Source: docs/contributing/spec/promises.md, S-50.
"""

import unicodedata

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError

from messages_app.audit.services import SYSTEM

# Letters of other scripts that look like those of the reserved name, by Latin letter.
_LOOKALIKES = {
    "s": "\u0455\ua731",
    "y": "\u0443\u04af\u03b3\u028f",
    "t": "\u0442\u03c4\u1d1b",
    "e": "\u0435\u04bd\u03b5\u1d07",
    "m": "\u043c\u1d0d\u03bc",
}
_AS_LATIN = str.maketrans({other: latin for latin, others in _LOOKALIKES.items() for other in others})


def refuse_reserved_name(name: str) -> None:
    """
    Refuse a name that reads like that of the console itself, in any case, with any signs between letters.

    Raises:
        ValidationError: the name is reserved.
    """
    if _letters_of(name) == SYSTEM.username:
        raise ValidationError(f"The name {SYSTEM.username!r} is reserved for the console.", code="reserved")


def reserve_names() -> None:
    """Check the names of new and renamed users in every form and in `createsuperuser`."""
    validators = get_user_model()._meta.get_field("username").validators
    if refuse_reserved_name not in validators:
        validators.append(refuse_reserved_name)


def _letters_of(name: str) -> str:
    text = unicodedata.normalize("NFKD", name).casefold().translate(_AS_LATIN)
    return "".join(character for character in text if character.isalnum())
