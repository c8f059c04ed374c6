"""
The steps with a browser that has passkeys: it is given a challenge, and sends the answer of a device.

Scripts of the pages (static/js/passkeys.js) ask the browser between the two.
"""

import json

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from messages_app.access import throttling
from messages_app.access.actors import actor_of, user_of
from messages_app.access.second_factor import devices, pending_login
from messages_app.access.second_factor.confirmation import ask_second_factor
from messages_app.access.second_factor.forms import NameForm
from messages_app.access.second_factor.passkeys import (
    Ceremony,
    PasskeyRefused,
    Purpose,
    add_passkey,
    begin_adding,
    begin_proof,
    has_passkey_at,
)
from messages_app.access.second_factor.relying_party import find_relying_party
from messages_app.access.second_factor.views import (
    PASSKEY_IDS,
    finish_adding,
    refuse_password,
    render_blocked,
    render_second_factor,
    require_local_account,
)
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.problems import Problem, problem_response

_NOT_HERE = "Passkeys do not work at this address of the console. Open it by its host name."


@require_POST
@never_cache
def give_challenge(request: HttpRequest) -> HttpResponse:
    """Return the options of a proof to a user who has entered the password, or is logged in."""
    if settings.SECOND_FACTOR == "off":
        raise Http404
    is_logged_in = request.user.is_authenticated
    user = user_of(request) if is_logged_in else pending_login.user_of(request)
    if user is None:
        return problem_response(Problem(401, "not_authenticated", "Log in again."), request)
    ceremony = _make_ceremony(request, user, Purpose.CONFIRM if is_logged_in else Purpose.LOG_IN)
    if ceremony is None or not has_passkey_at(user, ceremony.party):
        return problem_response(Problem(409, "no_passkey", "You have no passkey at this address."), request)
    return JsonResponse(begin_proof(ceremony))


@require_local_account
def new_passkey(request: HttpRequest) -> HttpResponse:
    """Ask the browser to create a passkey, after the password or, with a second factor, after that."""
    user = user_of(request)
    form = NameForm(request.POST, auto_id=PASSKEY_IDS)
    if not form.is_valid():
        return render_second_factor(request, status=400, forms={"name_form": form})
    ceremony = _make_ceremony(request, user, Purpose.ADD)
    if ceremony is None:
        return render_second_factor(request, error=_NOT_HERE, status=409)
    if devices.has_second_factor(user):
        if question := ask_second_factor(request):
            return question
    elif refusal := refuse_password(request, "passkey_password", others={"name_form": form}):
        return refusal
    context = {"name": form.cleaned_data["name"], "options": json.dumps(begin_adding(ceremony))}
    return render(request, "messages_app/access/passkey.html", context)


@require_local_account
def store_passkey(request: HttpRequest) -> HttpResponse:
    """Store the passkey that the browser has created. Its challenge was given after a confirmation."""
    user, actor = user_of(request), actor_of(request)
    form = NameForm(request.POST, auto_id=PASSKEY_IDS)
    ceremony = _make_ceremony(request, user, Purpose.ADD)
    if not form.is_valid() or ceremony is None:
        return render_second_factor(request, status=400, forms={"name_form": form})
    attempt = throttling.code_attempt_at(request, user.get_username())
    if seconds := throttling.begin_attempt(attempt):
        return render_blocked(request, seconds, forms={"name_form": form})
    is_first = not devices.has_second_factor(user)
    name = form.cleaned_data["name"]
    try:
        add_passkey(ceremony, name=name, answer=request.POST.get("passkey", ""), actor=actor)
    except PasskeyRefused as refusal:
        audit.record_entry(
            actor=actor,
            action="add_passkey",
            outcome=AuditEntry.Outcome.REFUSED,
            details={"refusal": refusal.code},
        )
        return render_second_factor(request, error=str(refusal), status=400)
    throttling.record_success(attempt)
    codes = devices.make_missing_codes(user)
    return finish_adding(request, codes, kind="passkey", is_first=is_first, words=f"Passkey {name} added.")


def _make_ceremony(request: HttpRequest, user: User, purpose: Purpose) -> Ceremony | None:
    """Return the circumstances of an answer; None if this address of the console can have no passkeys."""
    party = find_relying_party(request)
    if party is None:
        return None
    return Ceremony(user=user, party=party, session_key=request.session.session_key, purpose=purpose)
