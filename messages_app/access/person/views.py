"""The page of a person's own settings."""

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from messages_app.access.actors import user_of
from messages_app.access.decorators import requires_login, to_login
from messages_app.access.person import services
from messages_app.access.person.forms import ChoicesForm
from messages_app.core.clock import database_clock


@require_http_methods(["GET", "HEAD", "POST"])
@requires_login
def own_settings(request: HttpRequest) -> HttpResponse:
    """Show the settings of the user, or keep them."""
    user = user_of(request)
    form = ChoicesForm(user, request.POST if request.method == "POST" else None)
    if not form.is_valid():
        status = 400 if form.is_bound else 200
        context = {"form": form, "now": database_clock()}
        return render(request, "messages_app/access/own_settings.html", context, status=status)
    try:
        services.keep_choices(user=user, choices=form.choices)
    except services.AccountGone:
        return to_login(request)
    notices.success(request, "Settings saved.")
    return redirect("own-settings")
