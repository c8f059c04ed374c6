"""
The page of a user's own second factor: an app, passkeys and recovery codes.

The first factor needs the password; each change after that needs a code or a passkey.
"""

from collections.abc import Mapping
from functools import wraps

import segno
from django.conf import settings
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django_otp.plugins.otp_totp.models import TOTPDevice

from messages_app.access import throttling
from messages_app.access.actors import actor_of, user_of
from messages_app.access.backends import has_provider_account
from messages_app.access.decorators import View, requires_login
from messages_app.access.passwords import PasswordForm
from messages_app.access.provider_settings import provider_with
from messages_app.access.second_factor import devices, passkeys
from messages_app.access.second_factor.confirmation import ask_second_factor
from messages_app.access.second_factor.forms import CodeForm, NameForm
from messages_app.access.second_factor.pending_login import SHOWN
from messages_app.access.second_factor.recovery_codes import count_codes
from messages_app.access.second_factor.relying_party import find_relying_party
from messages_app.access.sessions.services import end_other_sessions
from messages_app.access.sessions.store import PROVIDER

_FOLDER = "messages_app/access"
_WRONG_CODE = "Invalid or expired code. Enter the current code from the app."
# Two forms of the page ask for the password.
PASSKEY_IDS = "passkey_%s"


def require_offer(view: View) -> View:
    """Answer 404 if the settings do not offer a second factor."""

    @wraps(view)
    def answer_offered(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if settings.SECOND_FACTOR == "off":
            raise Http404
        return view(request, *args, **kwargs)

    return requires_login(answer_offered)


def require_local_account(view: View) -> View:
    """Show only the page to users of an identity provider, which asks for their second factor itself."""

    @wraps(view)
    def answer_local(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if has_provider_account(user_of(request)):
            return render_second_factor(request, status=409)
        return view(request, *args, **kwargs)

    return require_POST(require_offer(answer_local))


@require_safe
@require_offer
def second_factor(request: HttpRequest) -> HttpResponse:
    return render_second_factor(request)


@require_local_account
def start_setup(request: HttpRequest) -> HttpResponse:
    """Create a key for an app, after a correct password or, with passkeys, after one of them."""
    if devices.device_of(user_of(request)):
        return redirect("second-factor")
    if devices.has_second_factor(user_of(request)):
        if question := ask_second_factor(request):
            return question
    elif refusal := refuse_password(request, "password_form"):
        return refusal
    devices.begin_enrolment(user=user_of(request))
    return redirect("second-factor")


@require_local_account
def confirm_setup(request: HttpRequest) -> HttpResponse:
    """Confirm the app. With the first factor, other sessions end, which were not confirmed by one."""
    actor = actor_of(request)
    if devices.unconfirmed_device_of(user_of(request)) is None:
        return redirect("second-factor")
    attempt = throttling.code_attempt_at(request, request.user.get_username())
    if seconds := throttling.begin_attempt(attempt):
        return render_blocked(request, seconds)
    is_first = not devices.has_second_factor(user_of(request))
    try:
        codes = devices.confirm_device(user=user_of(request), code=request.POST.get("code", ""), actor=actor)
    except devices.NothingToConfirm:
        return redirect("second-factor")
    if codes is None:
        return _refuse_code(request)
    throttling.record_success(attempt)
    return finish_adding(request, codes, kind="code", is_first=is_first, words="App added.")


@require_local_account
def change_second_factor(request: HttpRequest) -> HttpResponse:
    """Create new recovery codes, or remove a factor, after a correct code or with a passkey."""
    user, actor = user_of(request), actor_of(request)
    if not devices.has_second_factor(user):
        return redirect("second-factor")
    if question := ask_second_factor(request):
        return question
    action, _, passkey_id = request.POST.get("action", "").partition(" ")
    if action == "renew":
        return _codes_page(request, devices.renew_recovery_codes(user=user, actor=actor))
    if action == "remove":
        devices.remove_app(user=user, actor=actor)
        return _finish_removal(request, "App removed.")
    if action == "remove-passkey" and passkey_id.isascii() and passkey_id.isdigit():
        name = passkeys.remove_passkey(user=user, passkey_id=int(passkey_id[:18]), actor=actor)
        if name is not None:
            return _finish_removal(request, f"Passkey {name} removed.")
    raise Http404


def refuse_password(
    request: HttpRequest, form_name: str, *, others: Mapping[str, object] | None = None
) -> HttpResponse | None:
    """
    Return the page with the error of a wrong password; None: it is correct.

    Args:
        form_name: "password_form" or "passkey_password".
        others: other forms that were submitted with it.
    """
    ids = PASSKEY_IDS if form_name == "passkey_password" else "id_%s"
    form = PasswordForm(request.POST, request=request, auto_id=ids)
    if seconds := form.seconds_to_wait:
        return render_blocked(request, seconds, forms=others)
    if form.is_valid():
        return None
    return render_second_factor(request, status=400, forms={form_name: form, **(others or {})})


def finish_adding(
    request: HttpRequest, codes: list[str], *, kind: str, is_first: bool, words: str
) -> HttpResponse:
    """Let the session count as one with a second factor, and show recovery codes that are new."""
    if is_first:
        user = user_of(request)
        end_other_sessions(user=user, kept_key=request.session.session_key, actor=actor_of(request))
    request.session.cycle_key()
    request.session[SHOWN] = kind
    if codes:
        return _codes_page(request, codes)
    notices.success(request, words)
    return redirect("second-factor")


def _finish_removal(request: HttpRequest, words: str) -> HttpResponse:
    if devices.forget_lonely_codes(user_of(request)):
        request.session.pop(SHOWN, None)
        words = f"{words} You have no second factor now."
    notices.success(request, words)
    return redirect("second-factor")


def _refuse_code(request: HttpRequest) -> HttpResponse:
    form = CodeForm({"code": ""})
    form.errors["code"] = form.error_class([_WRONG_CODE])
    return render_second_factor(request, status=400, forms={"code_form": form})


def render_second_factor(
    request: HttpRequest,
    *,
    error: str = "",
    status: int = 200,
    forms: Mapping[str, object] | None = None,
) -> HttpResponse:
    """
    Render the page.

    Args:
        forms: forms that were refused, by their names in the context.
    """
    user = user_of(request)
    device = devices.device_of(user)
    begun = None if device else devices.unconfirmed_device_of(user)
    own_passkeys = list(passkeys.passkeys_of(user))
    context = {
        "is_of_provider": has_provider_account(user),
        "provider": provider_with(request.session.get(PROVIDER)),
        "device": device,
        "passkeys": own_passkeys,
        "has_several_hosts": len({passkey.host for passkey in own_passkeys}) > 1,
        "is_on": bool(device or own_passkeys),
        "has_room": len(own_passkeys) < passkeys.MAX_PASSKEYS,
        "party": find_relying_party(request),
        "codes_left": count_codes(user),
        "begun": begun and {"picture": _draw_qr_code(begun), "key": devices.key_text(begun)},
        "is_required": devices.is_required_of(user),
        "error": error,
        "password_form": PasswordForm(request=request),
        "passkey_password": PasswordForm(request=request, auto_id=PASSKEY_IDS),
        "code_form": CodeForm(),
        "name_form": NameForm(auto_id=PASSKEY_IDS),
        **(forms or {}),
    }
    return render(request, f"{_FOLDER}/second_factor.html", context, status=status)


def _codes_page(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return render(request, f"{_FOLDER}/recovery_codes.html", {"codes": codes})


def render_blocked(
    request: HttpRequest, seconds: int, *, forms: Mapping[str, object] | None = None
) -> HttpResponse:
    """Render the page after too many attempts."""
    words = f"Too many attempts. Try again in {seconds} s."
    response = render_second_factor(request, error=words, status=429, forms=forms)
    response.headers["Retry-After"] = str(seconds)
    return response


def _draw_qr_code(device: TOTPDevice) -> str:
    """Return the QR code of the app's key as a data URL. Its background is white, also in dark mode."""
    return segno.make(device.config_url, error="m").svg_data_uri(scale=5, dark="black", light="white")
