"""Pages for setting up a second factor. Each change requires a code."""

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
from messages_app.access.decorators import View, requires_login
from messages_app.access.passwords import PasswordForm
from messages_app.access.second_factor import devices
from messages_app.access.second_factor.forms import CodeForm
from messages_app.access.second_factor.pending_login import SHOWN
from messages_app.access.sessions.services import end_other_sessions

_FOLDER = "messages_app/access"
_WRONG_CODE = "Invalid or expired code. Enter the current code from the app."


def _require_offer(view: View) -> View:
    """Answer 404 if the settings do not offer a second factor."""

    @wraps(view)
    def answer_offered(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if settings.SECOND_FACTOR == "off":
            raise Http404
        return view(request, *args, **kwargs)

    return requires_login(answer_offered)


@require_safe
@_require_offer
def second_factor(request: HttpRequest) -> HttpResponse:
    return _render_second_factor(request)


@require_POST
@_require_offer
def start_setup(request: HttpRequest) -> HttpResponse:
    """Create a key for an app, after a correct password."""
    form = PasswordForm(request.POST, request=request)
    if seconds := form.seconds_to_wait:
        return _render_blocked(request, seconds)
    if not form.is_valid():
        return _render_second_factor(request, password=form, status=400)
    devices.begin_enrolment(user=user_of(request))
    return redirect("second-factor")


@require_POST
@_require_offer
def confirm_setup(request: HttpRequest) -> HttpResponse:
    """Confirm the app, and end other sessions, which were not confirmed by a code."""
    actor = actor_of(request)
    if devices.unconfirmed_device_of(user_of(request)) is None:
        return redirect("second-factor")
    attempt = throttling.code_attempt_at(request, request.user.get_username())
    if seconds := throttling.begin_attempt(attempt):
        return _render_blocked(request, seconds)
    try:
        codes = devices.confirm_device(user=user_of(request), code=request.POST.get("code", ""), actor=actor)
    except devices.NothingToConfirm:
        return redirect("second-factor")
    if codes is None:
        return _refuse_code(request)
    throttling.record_success(attempt)
    end_other_sessions(user=user_of(request), kept_key=request.session.session_key, actor=actor)
    request.session.cycle_key()
    request.session[SHOWN] = "code"
    return _codes_page(request, codes)


@require_POST
@_require_offer
def change_second_factor(request: HttpRequest) -> HttpResponse:
    """Create new recovery codes, or remove the second factor, after a correct code."""
    attempt = throttling.code_attempt_at(request, request.user.get_username())
    if seconds := throttling.begin_attempt(attempt):
        return _render_blocked(request, seconds)
    if not devices.check_code(user=user_of(request), code=request.POST.get("code", "")):
        return _refuse_code(request)
    throttling.record_success(attempt)
    if request.POST.get("action") == "remove":
        return _remove_second_factor(request)
    codes = devices.renew_recovery_codes(user=user_of(request), actor=actor_of(request))
    return _codes_page(request, codes)


def _remove_second_factor(request: HttpRequest) -> HttpResponse:
    devices.remove_devices(user=user_of(request), actor=actor_of(request))
    request.session.pop(SHOWN, None)
    notices.success(request, "Second factor removed.")
    return redirect("second-factor")


def _refuse_code(request: HttpRequest) -> HttpResponse:
    form = CodeForm({"code": ""})
    form.errors["code"] = form.error_class([_WRONG_CODE])
    return _render_second_factor(request, code=form, status=400)


def _render_second_factor(
    request: HttpRequest,
    *,
    error: str = "",
    password: PasswordForm | None = None,
    code: CodeForm | None = None,
    status: int = 200,
) -> HttpResponse:
    user = user_of(request)
    device = devices.device_of(user)
    begun = None if device else devices.unconfirmed_device_of(user)
    context = {
        "device": device,
        "codes_left": devices.recovery_codes_left(user) if device else 0,
        "begun": begun and {"picture": _draw_qr_code(begun), "key": devices.key_text(begun)},
        "is_required": settings.SECOND_FACTOR == "required" and devices.is_administrator(user),
        "error": error,
        "password_form": password or PasswordForm(request=request),
        "code_form": code or CodeForm(),
    }
    return render(request, f"{_FOLDER}/second_factor.html", context, status=status)


def _codes_page(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return render(request, f"{_FOLDER}/recovery_codes.html", {"codes": codes})


def _render_blocked(request: HttpRequest, seconds: int) -> HttpResponse:
    response = _render_second_factor(
        request, error=f"Too many attempts. Try again in {seconds} s.", status=429
    )
    response.headers["Retry-After"] = str(seconds)
    return response


def _draw_qr_code(device: TOTPDevice) -> str:
    """Return the QR code of the app's key as a data URL. Its background is white, also in dark mode."""
    return segno.make(device.config_url, error="m").svg_data_uri(scale=5, dark="black", light="white")
