"""The page on which whoever is logged in changes the own password."""

from django.contrib import messages as notices
from django.contrib.sessions.exceptions import SessionInterrupted
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from messages_app.access.gate import requires_login, to_login
from messages_app.access.own_password.forms import OwnPasswordForm
from messages_app.access.own_password.services import ACTION, PasswordNoLongerHolds, change_password
from messages_app.access.passwords import record_refusal
from messages_app.web.words import counted


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires_login
def own_password(request: HttpRequest) -> HttpResponse:
    form = OwnPasswordForm(request, request.POST if request.method == "POST" else None)
    if form.is_valid():
        return _change(request, form)
    if form.shown_by:  # who shows the right one leaves a trace, too
        record_refusal(request, ACTION, "new_password")
    return _page(request, form)


def _change(request: HttpRequest, form: OwnPasswordForm) -> HttpResponse:
    new_password = form.cleaned_data["new_password1"]
    try:
        ended = change_password(request=request, user=form.shown_by, new_password=new_password)
    except (PasswordNoLongerHolds, SessionInterrupted):
        record_refusal(request, ACTION, "changed_meanwhile")
        return to_login(request)
    others = f" {counted(ended, 'other session')} ended." if ended else ""
    notices.success(request, f"Your password is changed.{others}")
    return redirect("sessions")


def _page(request: HttpRequest, form: OwnPasswordForm) -> HttpResponse:
    seconds = form.seconds_to_wait
    status = 429 if seconds else 400 if form.is_bound else 200
    response = render(request, "messages_app/access/own_password.html", {"form": form}, status=status)
    if seconds:
        response.headers["Retry-After"] = str(seconds)
    return response
