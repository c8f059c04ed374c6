"""Asking for the reason for which values are shown, and masking them again; back to where one was."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires_login, to_login
from messages_app.access.revealing import services
from messages_app.access.revealing.ways_back import way_back
from messages_app.access.sessions.services import SessionNotFound
from messages_app.web.reasons import ReasonForm


@require_http_methods(["GET", "HEAD", "POST"])
@requires_login
def reveal(request: HttpRequest) -> HttpResponse:
    """Ask for a reason; with one, show values and go back."""
    if not request.reading.has_right:
        refuse(request, action="reveal_values")
    address = way_back(request)
    if not request.reading.may_reveal:  # they are shown: nothing is left to ask
        return redirect(address)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        context = {"form": form, "address": address, "minutes": settings.REVEAL_MINUTES}
        status = 400 if form.is_bound else 200
        return render(request, "messages_app/access/reveal.html", context, status=status)
    return _revealed(request, form.cleaned_data["reason"], address)


def _revealed(request: HttpRequest, reason: str, address: str) -> HttpResponse:
    try:
        services.reveal(
            user=request.user,
            session_key=request.session.session_key,
            reason=reason,
            actor=actor_of(request),
        )
    except SessionNotFound:
        return to_login(request)
    return redirect(address)


@require_POST
@requires_login
def end(request: HttpRequest) -> HttpResponse:
    """Mask values again: whoever is logged in may, and where they are masked nothing changes."""
    services.mask_again(session_key=request.session.session_key, actor=actor_of(request))
    return redirect(way_back(request))
