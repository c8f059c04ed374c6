"""
The second factor of a user: an authenticator app, passkeys (passkeys.py) and recovery codes.

Each code is valid once.

django-otp creates and checks the codes of apps. Its rows are locked during a check, so that no code is
accepted twice. Wrong codes are counted like wrong passwords (throttling.py). The library's own counter is not
used, because by that anyone could lock the owner out.

Source: docs/contributing/spec/promises.md, S-54; RFC 6238.
"""

import re
from base64 import b32encode

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django_otp.plugins.otp_totp.models import TOTPDevice

from messages_app.access import roles
from messages_app.access.second_factor.locks import lock_factors
from messages_app.access.second_factor.models import Passkey
from messages_app.access.second_factor.passkeys import passkeys_of
from messages_app.access.second_factor.recovery_codes import (
    count_codes,
    remove_codes,
    replace_codes,
    use_code,
)
from messages_app.audit import services as audit

_OF_THE_APP = re.compile(r"[0-9]{6}")


class NothingToConfirm(Exception):
    """The user has not started an enrolment, or has already finished it."""


def is_administrator(user: User) -> bool:
    """Whether this user must have a second factor if the settings require one for administrators."""
    return user.is_superuser or user.is_staff or user.has_perm(roles.CAN_MAKE_TOKENS)


def is_required_of(user: User) -> bool:
    """Whether this user can do nothing without a second factor."""
    required = settings.SECOND_FACTOR
    return required == "everyone" or (required == "required" and is_administrator(user))


def device_of(user: User) -> TOTPDevice | None:
    """Return the user's confirmed app, or None."""
    return TOTPDevice.objects.filter(user_id=user.pk, confirmed=True).first()


def has_second_factor(user: User) -> bool:
    """Whether the user has an app or a passkey. Recovery codes do not count."""
    return device_of(user) is not None or passkeys_of(user).exists()


def is_asked_of(user: User) -> bool:
    """Whether the login of this user has a second step."""
    return settings.SECOND_FACTOR != "off" and has_second_factor(user)


def unconfirmed_device_of(user: User) -> TOTPDevice | None:
    return TOTPDevice.objects.filter(user_id=user.pk, confirmed=False).order_by("-pk").first()


def key_text(device: TOTPDevice) -> str:
    """Return the key of the app as people type it: Base32 in groups of four characters."""
    text = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def begin_enrolment(*, user: User) -> None:
    """Create a key for the user's app, and remove an earlier key that was never confirmed."""
    with transaction.atomic():
        TOTPDevice.objects.filter(user_id=user.pk, confirmed=False).delete()
        TOTPDevice.objects.create(user_id=user.pk, name="app", confirmed=False)


def confirm_device(*, user: User, code: str, actor: audit.Actor) -> list[str] | None:
    """
    Confirm the app if the code is correct.

    Returns:
        The recovery codes, which are shown only this time; empty if the user already has some; None if the
        code is wrong.

    Raises:
        NothingToConfirm: there is no app to confirm.
    """
    with transaction.atomic():
        devices = TOTPDevice.objects.select_for_update().filter(user_id=user.pk).order_by("-pk")
        unconfirmed = list(devices)
        if not unconfirmed or any(device.confirmed for device in unconfirmed):
            raise NothingToConfirm
        if not unconfirmed[0].verify_token(_normalise_code(code)):
            return None
        TOTPDevice.objects.filter(pk=unconfirmed[0].pk).update(confirmed=True)
        audit.record_entry(actor=actor, action="enrol_second_factor")
        return make_missing_codes(user)


def make_missing_codes(user: User) -> list[str]:
    """Create and return recovery codes with the first factor; empty if the user already has some."""
    with transaction.atomic():
        lock_factors(user)
        return [] if count_codes(user) else replace_codes(user)


def check_code(*, user: User, code: str) -> str:
    """
    Check and use up a code of the user's app, or a recovery code.

    Returns:
        "code" or "recovery_code", for the audit log; empty if the code is not valid.
    """
    plain = _normalise_code(code)
    if not _OF_THE_APP.fullmatch(plain):
        return "recovery_code" if has_second_factor(user) and use_code(user, plain) else ""
    with transaction.atomic():
        device = TOTPDevice.objects.select_for_update().filter(user_id=user.pk, confirmed=True).first()
        return "code" if device is not None and device.verify_token(plain) else ""


def renew_recovery_codes(*, user: User, actor: audit.Actor) -> list[str]:
    """Create and return new recovery codes. Earlier codes are no longer valid."""
    with transaction.atomic():
        audit.record_entry(actor=actor, action="renew_recovery_codes")
        return replace_codes(user)


def remove_app(*, user: User, actor: audit.Actor) -> None:
    """Remove the app of a user. Passkeys stay."""
    with transaction.atomic():
        removed, _ = TOTPDevice.objects.filter(user_id=user.pk).delete()
        if removed:
            audit.record_entry(actor=actor, action="remove_second_factor", details={"removed": "app"})


def forget_lonely_codes(user: User) -> bool:
    """Remove the recovery codes of a user without another factor. Return whether this is the case."""
    with transaction.atomic():
        lock_factors(user)
        if has_second_factor(user):
            return False
        remove_codes(user)
        return True


def remove_devices(*, user: User, actor: audit.Actor, reason: str = "") -> bool:
    """Remove the whole second factor of a user: app, passkeys and codes. Return whether there was one."""
    with transaction.atomic():
        apps, _ = TOTPDevice.objects.filter(user_id=user.pk).delete()
        passkeys, _ = Passkey.objects.filter(user_id=user.pk).delete()
        remove_codes(user)
        if apps or passkeys:
            audit.record_entry(
                actor=actor,
                action="remove_second_factor",
                subject_kind="user",
                subject=user.pk,
                reason=reason,
                details={"user": user.get_username()} | ({"passkeys": passkeys} if passkeys else {}),
            )
    return bool(apps or passkeys)


def _normalise_code(code: str) -> str:
    """Normalise a typed code: without spaces, in lower case; empty if it cannot be a code."""
    plain = "".join(code.split()).lower()
    return plain if re.fullmatch(r"[a-z0-9-]{1,40}", plain) else ""
