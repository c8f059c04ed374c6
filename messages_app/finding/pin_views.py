"""Pins an object to the menu of a person, or removes its pin."""

from django.contrib import messages as notices
from django.contrib.auth.models import User
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from messages_app.access.actors import user_of
from messages_app.access.choices import choices_of
from messages_app.access.decorators import requires_login
from messages_app.access.person import services
from messages_app.access.places import MAX_PLACES, read_place
from messages_app.core.parameters import single_values
from messages_app.finding.recent_places import describe_places

PIN, UNPIN = "pin", "unpin"


@require_POST
@requires_login
def change_pin(request: HttpRequest, how: str) -> HttpResponse:
    """Pin the page of an object, or remove its pin. Answer with the button and the pins of the menu."""
    address = single_values(request.POST, ("address", "csrfmiddlewaretoken")).get("address", "")
    user = user_of(request)
    try:
        if how == UNPIN:
            services.unpin_place(user=user, address=address)
        else:
            _pin_place(user, address)
    except services.CannotPin:
        notices.warning(request, f"You have {MAX_PLACES} pins. Remove one first.")
        return _reload_page(request, address)
    if "HX-Request" not in request.headers:
        return redirect(address)
    return render(request, "messages_app/finding/_changed_pin.html", {"place": read_place(address)})


def _pin_place(user: User, address: str) -> None:
    """Pin an object. If there are too many pins, those of missing objects are removed first."""
    missing = _list_missing(user) if len(choices_of(user).pins) >= MAX_PLACES else []
    services.pin_place(user=user, address=address, missing=missing)


def _list_missing(user: User) -> list[str]:
    pins = choices_of(user).pins
    try:
        hits = describe_places(pins, user)
    except OperationalError:  # not in time: none is known to be missing
        return []
    return [address for address in pins if address not in hits]


def _reload_page(request: HttpRequest, address: str) -> HttpResponse:
    if "HX-Request" in request.headers:
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return redirect(address)
