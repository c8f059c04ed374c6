"""
The second factor of a user: an authenticator app, whose codes hold once each, and recovery codes.

The library makes and checks the codes; its rows are locked meanwhile, so that no code holds twice. Wrong
ones are counted as wrong passwords are (throttling.py), by us alone: by the library's count someone else
could keep an owner out as long as he likes.

Source: docs/spec/promises.md, S-54; RFC 6238.
"""

import re
from base64 import b32encode

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from messages_app.access import roles
from messages_app.audit import services as audit

RECOVERY_CODES = 10
_OF_THE_APP = re.compile(r"[0-9]{6}")


class NothingToConfirm(Exception):
    """The user has begun no enrolment, or has ended it already."""


def is_administrator(user: User) -> bool:
    """Say whether a second factor is asked of this user where the settings require one."""
    return user.is_superuser or user.is_staff or user.has_perm(roles.CAN_MAKE_TOKENS)


def device_of(user: User) -> TOTPDevice | None:
    """Return the user's app; None where there is none, or it has shown no code yet."""
    return TOTPDevice.objects.filter(user_id=user.pk, confirmed=True).first()


def is_asked_of(user: User) -> bool:
    """Say whether the log-in of this user has a second step."""
    return settings.SECOND_FACTOR != "off" and device_of(user) is not None


def unconfirmed_device_of(user: User) -> TOTPDevice | None:
    return TOTPDevice.objects.filter(user_id=user.pk, confirmed=False).order_by("-pk").first()


def recovery_codes_left(user: User) -> int:
    left: int = StaticToken.objects.filter(device__user_id=user.pk).count()
    return left


def key_text(device: TOTPDevice) -> str:
    """Return the app's key as people type it: Base32, four characters at a time."""
    text = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def begin_enrolment(*, user: User) -> None:
    """Make a key for the user's app; one that was made before and never confirmed goes."""
    with transaction.atomic():
        TOTPDevice.objects.filter(user_id=user.pk, confirmed=False).delete()
        TOTPDevice.objects.create(user_id=user.pk, name="app", confirmed=False)


def confirm(*, user: User, code: str, actor: audit.Actor) -> list[str] | None:
    """
    Take the app into use if it shows this code.

    Returns:
        The recovery codes, which are shown this once; None where the code is wrong.

    Raises:
        NothingToConfirm: there is no app to take into use.
    """
    with transaction.atomic():
        devices = TOTPDevice.objects.select_for_update().filter(user_id=user.pk).order_by("-pk")
        found = list(devices)
        if not found or any(device.confirmed for device in found):
            raise NothingToConfirm
        if not found[0].verify_token(_plain(code)):
            return None
        TOTPDevice.objects.filter(pk=found[0].pk).update(confirmed=True)
        audit.record(actor=actor, action="enrol_second_factor")
        return _make_recovery_codes(user)


def check(*, user: User, code: str) -> str:
    """
    Use up a code of the user's, of the app or for recovery.

    Returns:
        "code" or "recovery_code", for the audit; empty where it is not valid, or no longer.
    """
    plain = _plain(code)
    is_of_app = _OF_THE_APP.fullmatch(plain)
    model = TOTPDevice if is_of_app else StaticDevice
    with transaction.atomic():
        device = model.objects.select_for_update().filter(user_id=user.pk, confirmed=True).first()
        if device is None or not device.verify_token(plain):
            return ""
    return "code" if is_of_app else "recovery_code"


def renew_recovery_codes(*, user: User, actor: audit.Actor) -> list[str]:
    """Make new recovery codes, and return them; the ones before are no longer valid."""
    with transaction.atomic():
        audit.record(actor=actor, action="renew_recovery_codes")
        return _make_recovery_codes(user)


def remove(*, user: User, actor: audit.Actor) -> bool:
    """Take the second factor from a user; say whether there was one."""
    with transaction.atomic():
        removed, _ = TOTPDevice.objects.filter(user_id=user.pk).delete()
        StaticDevice.objects.filter(user_id=user.pk).delete()
        if removed:
            audit.record(actor=actor, action="remove_second_factor", details={"user": user.get_username()})
    return bool(removed)


def _make_recovery_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user_id=user.pk).delete()
    device = StaticDevice.objects.create(user_id=user.pk, name="recovery codes")
    codes = [StaticToken.random_token() for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def _plain(code: str) -> str:
    """
    Return the code without the blanks that people type, in small letters, and nothing that is not a code.
    """
    plain = "".join(code.split()).lower()
    return plain if re.fullmatch(r"[a-z0-9]{1,16}", plain) else ""
