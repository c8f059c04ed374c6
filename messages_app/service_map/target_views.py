"""The form of the owner, the runbook and the targets of a service or system."""

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.edit_versions import EditConflict, list_differences
from messages_app.service_map.participant_views import get_participant_or_404
from messages_app.service_map.participants import Kind
from messages_app.service_map.targets import services
from messages_app.service_map.targets.forms import ProfileForm, form_values
from messages_app.service_map.views import VIEWS


@VIEWS.shows_and_takes_form
def change_targets(request: HttpRequest, kind: Kind, name: str) -> HttpResponse:
    """Show the form, or store what was entered."""
    right = roles.CAN_CHANGE_WATCH_RULES
    check_right(request, right, action="change_targets", subject_kind=str(kind), subject=name[:150])
    participant = get_participant_or_404(kind, name)
    form = ProfileForm(request.POST or None, initial=form_values(services.read_profile(participant)))
    status, differences = 400 if form.errors else 200, None
    if request.method == "POST" and form.is_valid():
        try:
            services.save_profile(
                participant,
                version=form.cleaned_data["version"],
                columns=form.read_columns(),
                actor=actor_of(request),
                reason=form.cleaned_data["reason"],
            )
        except EditConflict:
            stored = ProfileForm(initial=form_values(services.read_profile(participant)))
            status, differences = 409, list_differences([(form, stored)])
        else:
            notices.success(request, "Saved.")
            return redirect(str(kind), participant.name)
    context = {"participant": participant, "form": form, "differences": differences}
    return render(request, "messages_app/service_map/targets.html", context, status=status)
