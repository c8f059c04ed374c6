"""Users with a second factor, and the codes that their apps show."""

import re

from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from messages_app.access.second_factor import devices
from messages_app.audit.services import SYSTEM


def code_of(device: TOTPDevice) -> str:
    """Return the code that the app shows now."""
    return f"{TOTP(device.bin_key).token():06d}"


def wrong_code_of(device: TOTPDevice) -> str:
    """Return a code that the app does not show now or in the minutes around."""
    key, near = device.bin_key, range(-10, 11)
    shown = {f"{TOTP(key, drift=steps).token():06d}" for steps in near}
    return next(code for code in (f"{number:06d}" for number in range(100)) if code not in shown)


def next_code_of(device: TOTPDevice) -> str:
    """Return the code of a later time, when the previous one is no longer valid."""
    TOTPDevice.objects.filter(pk=device.pk).update(last_t=-1)
    return code_of(device)


def enrol(user: object) -> tuple[TOTPDevice, list[str]]:
    """Give a user a second factor. Return the device of the app and the recovery codes."""
    devices.begin_enrolment(user=user)
    device = devices.unconfirmed_device_of(user)
    codes = devices.confirm_device(user=user, code=code_of(device), actor=SYSTEM)
    return device, codes


def codes_in(page: str) -> list[str]:
    """Return the recovery codes that a page shows."""
    return re.findall(r"<code>((?:[a-z2-9]{5}-){4}[a-z2-9]{5})</code>", page)


def is_in(client: Client) -> bool:
    return client.get("/sessions/").status_code == 200
