"""The page of the setup checklist, and its place on the overview."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import PageViews
from messages_app.core.undo import Undo, offer_undo
from messages_app.dashboard.setup import keep_setup_away, setup_for
from messages_app.messages.first_steps import first_steps

VIEWS = PageViews(roles.CAN_VIEW_SETTINGS)


@VIEWS.shows_page
def show_setup(request: HttpRequest) -> HttpResponse:
    setup = setup_for(user_of(request), first_steps())
    if setup is None:
        raise PermissionDenied
    return render(request, "messages_app/dashboard/setup.html", {"setup": setup})


@VIEWS.takes_form
def put_setup_away(request: HttpRequest) -> HttpResponse:
    """Hide the checklist on the overview."""
    keep_setup_away(user_of(request), is_away=True)
    undo = Undo(address=reverse("setup-back"), fields={})
    offer_undo(request, "The checklist is in the menu of your name.", undo)
    return redirect("home")


@VIEWS.takes_form
def bring_setup_back(request: HttpRequest) -> HttpResponse:
    """Show the checklist on the overview again."""
    keep_setup_away(user_of(request), is_away=False)
    return redirect("home")
