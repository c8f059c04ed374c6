"""
The second factor again, by a code or a passkey, at each change of it; and the check of both at the log-in.

A page asks for it and keeps the submitted form, as reauthentication.py does for the password.
"""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from messages_app.access import throttling
from messages_app.access.actors import user_of
from messages_app.access.reauthentication import list_kept_fields
from messages_app.access.second_factor import devices
from messages_app.access.second_factor.forms import ProofForm
from messages_app.access.second_factor.passkeys import (
    Ceremony,
    PasskeyRefused,
    Purpose,
    check_passkey,
    has_passkey_at,
    passkeys_of,
)
from messages_app.access.second_factor.relying_party import find_relying_party

_FIELDS = ("code", "passkey")


def check_proof(request: HttpRequest, user: User, form: ProofForm, purpose: Purpose) -> str:
    """
    Check and use up the code or the passkey of a valid form. The caller counts the attempt.

    Returns:
        "code", "recovery_code" or "passkey", for the audit log; empty if it is not valid, with an error in
        the form.
    """
    if form.cleaned_data["passkey"]:
        return _check_passkey(request, user, form, purpose)
    kind = devices.check_code(user=user, code=form.cleaned_data["code"])
    if not kind:
        form.add_error("code", "Invalid or expired code.")
    return kind


def describe_passkeys(request: HttpRequest, user: User) -> dict[str, object]:
    """Return what a page with a ProofForm says about the user's passkeys."""
    is_usable = has_passkey_at(user, find_relying_party(request))
    hosts = [] if is_usable else sorted(set(passkeys_of(user).values_list("host", flat=True)))
    return {"has_passkey": is_usable, "other_hosts": hosts}


def ask_second_factor(request: HttpRequest) -> HttpResponse | None:
    """
    Return a page that asks for a code or a passkey and keeps the submitted form; None: continue with the
    form, which had one.
    """
    is_answer = any(request.POST.get(name) for name in _FIELDS)
    form = ProofForm(request.POST if is_answer else None)
    if not is_answer:
        return _render_question(request, form, status=403)
    attempt = throttling.code_attempt_at(request, request.user.get_username())
    if seconds := throttling.begin_attempt(attempt):
        response = _render_question(request, ProofForm(), status=429, blocked_for=seconds)
        response.headers["Retry-After"] = str(seconds)
        return response
    if not form.is_valid() or not check_proof(request, user_of(request), form, Purpose.CONFIRM):
        return _render_question(request, form, status=400)
    throttling.record_success(attempt)
    return None


def _check_passkey(request: HttpRequest, user: User, form: ProofForm, purpose: Purpose) -> str:
    party = find_relying_party(request)
    try:
        if party is None:
            raise PasskeyRefused("wrong_passkey", "Passkeys do not work at this address of the console.")
        ceremony = Ceremony(user=user, party=party, session_key=request.session.session_key, purpose=purpose)
        check_passkey(ceremony, form.cleaned_data["passkey"])
    except PasskeyRefused as refusal:
        form.refusal = refusal.code
        # A passkey has no field of its own that a person could correct.
        form.add_error("code", str(refusal))
        return ""
    return "passkey"


def _render_question(
    request: HttpRequest, form: ProofForm, *, status: int, blocked_for: int = 0
) -> HttpResponse:
    context = {
        "form": form,
        "kept": list_kept_fields(request.POST, without=_FIELDS),
        "blocked_for": blocked_for,
        **describe_passkeys(request, user_of(request)),
    }
    return render(request, "messages_app/access/confirm_second_factor.html", context, status=status)
