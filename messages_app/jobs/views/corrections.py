"""Proposes a correction of one message: a job that resends it as soon as a second person has approved it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import requires_permission
from messages_app.jobs.errors import InvalidJob
from messages_app.jobs.kinds.correction_options import MAX_TEXT
from messages_app.jobs.kinds.registry import RESEND
from messages_app.jobs.services.create import create_job
from messages_app.messages.corrections.payloads import FIELD
from messages_app.messages.corrections.views import CorrectionForm, edit_payload, show_editor
from messages_app.messages.hub_columns import MessageColumns
from messages_app.shared.replacements import find_unique_change

_TOO_FAR = (
    f"A correction that needs approval can change at most {MAX_TEXT} characters, from the first change to the"
    " last one."
)


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def propose_correction(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show the difference after `step=review`; after `step=send`, create the job and show it."""
    return edit_payload(request, msg_id, send=_create_job)


def _create_job(request: HttpRequest, message: MessageColumns, form: CorrectionForm) -> HttpResponse:
    change = find_unique_change(form.before, form.cleaned_data[FIELD])
    if max(len(change.find), len(change.replace)) > MAX_TEXT:
        form.add_error(FIELD, _TOO_FAR)
        return show_editor(request, message, form, status=400)
    options = {
        "find": change.find,
        "replace": change.replace,
        "cancel_original": form.cleaned_data["cancel_original"],
    }
    try:
        job = create_job(
            kind=RESEND.kind,
            filter={"msg_id": [message.pk]},
            options=options,
            dry_run=False,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
            user=request.user,
        )
    except InvalidJob as invalid:
        form.add_error(FIELD, " ".join(error.message for error in invalid.errors))
        return show_editor(request, message, form, status=400)
    return redirect("job-detail", job_id=job.pk)
