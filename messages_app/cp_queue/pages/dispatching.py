"""Dispatch for a dead service, of all that it holds: first counted, then done."""

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import requires
from messages_app.cp_queue import parameters, queries, services
from messages_app.cp_queue.pages import frame
from messages_app.cp_queue.pages.messages import DispatchForm
from messages_app.cp_queue.services import Selection
from messages_app.web.clock import database_clock
from messages_app.web.words import counted


class DispatchAllForm(DispatchForm):
    """What is said of all; and when it was counted, as what is reserved later is a living service's."""

    counted_at = forms.DateTimeField(widget=forms.HiddenInput)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_CP_QUEUE)
def dispatch_service(request: HttpRequest) -> HttpResponse:
    frame.check_right(request, "dispatch_cp_service")
    if request.method == "POST":
        return _dispatch(request)
    name = request.GET.get("service", "")
    initial = {"service": name, "counted_at": database_clock().isoformat()}
    return _page(request, name, DispatchAllForm(initial=initial))


def _dispatch(request: HttpRequest) -> HttpResponse:
    form = DispatchAllForm(request.POST)
    if not form.is_valid():
        return _page(request, request.POST.get("service", ""), form)
    values = form.cleaned_data
    try:
        outcomes = services.dispatch_all_for_service(
            service=values["service"],
            reason=values["said"],
            actor=actor_of(request),
            why=values["reason"],
            before=values["counted_at"],
        )
    except services.InvalidParameter as error:
        form.add_error("said" if error.field == "Reason" else None, str(error))
        return _page(request, values["service"], form)
    said = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    done = counted(sum(outcomes.values()), "message")
    notices.success(request, f"Dispatched {done}{f': {said}' if said else ''}.")
    return redirect("cp-services")


def _page(request: HttpRequest, name: str, form: DispatchAllForm) -> HttpResponse:
    try:
        held = queries.selected(Selection(service=parameters.service_name(name)))
    except services.InvalidParameter as error:
        raise Http404(str(error)) from error
    states = [each for each in queries.service_states() if each.service == name]
    context = {
        "form": form,
        "name": name,
        "held": held,
        "most": services.MOST_AT_ONCE,
        "is_alive": any(not each.is_probably_dead for each in states),
    }
    status = 400 if form.errors else 200
    return frame.page(request, "dispatch_service", context, section="cp-services", status=status)
