"""The progress of the first minutes, for an open page that waits for its content."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access.decorators import requires_login
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import read_choice
from messages_app.messages.first_steps import first_steps_or_none

_LOADED, _COUNTED = "loaded", "counted"


@require_safe
@requires_login
@takes_parameters("until")
def progress_part(request: HttpRequest) -> HttpResponse:
    """Render the progress of the demo or of the counts; at its end, let the page load again."""
    waits_for_counts = read_choice(request.GET, "until", [_LOADED, _COUNTED]) == _COUNTED
    steps = first_steps_or_none()
    if steps is None or not (steps.is_filling if waits_for_counts else steps.loading):
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return render(request, "messages_app/messages/_progress.html", {"first_steps": steps})
