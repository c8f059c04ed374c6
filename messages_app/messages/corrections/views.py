"""The page that corrects a payload, shows the changes and resends the message. It works without scripts."""

import hashlib
from collections.abc import Callable

from django import forms
from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.audit import services as audit
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm
from messages_app.messages import selectors
from messages_app.messages.corrections.effects import effects_of_resend
from messages_app.messages.corrections.payloads import FIELD, restore_line_ends
from messages_app.messages.corrections.services import (
    RESEND,
    is_second_person_needed,
    may_resend,
    resend_message,
    why_not_resend,
)
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import Message
from messages_app.messages.pages import PAGES, no_message, read_or_404
from messages_app.messages.services import ActionRefused, MessageNotFound
from messages_app.payloads.comparison.canonical_form import Placeholders
from messages_app.payloads.comparison.results import Comparison, compare_contents
from messages_app.payloads.loader import content_in_memory, visible_content
from messages_app.shared.corrected_payloads import MAX_EDITED_BYTES, CorrectionFault, fault_of_correction

VIEW_PAYLOAD = "view_payload"
_TOO_LARGE = f"Its payload is larger than {MAX_EDITED_BYTES // 1000} kB and cannot be corrected here."


class CorrectionForm(ReasonForm):
    """The corrected payload, and the digest of the two payloads whose difference the user saw."""

    payload = forms.CharField(
        label="Payload",
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 18, "spellcheck": "false", "wrap": "off", "class": "u-code", "data-editor": ""}
        ),
        error_messages={"required": "Enter the corrected payload."},
    )
    cancel_original = forms.BooleanField(label="Cancel the original message", required=False)
    reviewed = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    field_order = ("payload", "reason", "cancel_original", "reviewed")

    def __init__(self, *args: object, before: str, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]  # those of the base class
        self.before = before
        self.fault: CorrectionFault | None = None
        if not self.is_sending():
            self.fields["reason"].required = False

    def is_sending(self) -> bool:
        """Whether the user has seen the difference and sends it."""
        return self.is_bound and self.data.get("step") == "send"

    def clean_payload(self) -> str:
        payload = restore_line_ends(self.cleaned_data["payload"], before=self.before)
        self.fault = fault_of_correction(payload, before=self.before)
        if self.fault:
            raise forms.ValidationError(self.fault.text)
        return payload

    def is_reviewed(self) -> bool:
        """Whether exactly this difference was shown, of these two payloads."""
        return self.cleaned_data["reviewed"] == digest_of(self.before, self.cleaned_data["payload"])


def digest_of(before: str, payload: str) -> str:
    return hashlib.sha256(f"{len(before)} {before}{payload}".encode()).hexdigest()


Sender = Callable[[HttpRequest, MessageColumns, CorrectionForm], HttpResponse]


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
def correct_message(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show the editor; after `step=review`, also the difference; after `step=send`, send the new message."""
    return edit_payload(request, msg_id, send=_send_correction)


def edit_payload(request: HttpRequest, msg_id: int, *, send: Sender) -> HttpResponse:
    """Show the editor or the difference. After a correction was reviewed, return the response of `send`."""
    if not may_resend(request.user):
        # The page would only have shown the payload.
        action = RESEND if request.method == "POST" else VIEW_PAYLOAD
        refuse_request(request, action=action, msg_id=msg_id)
    message, _ = read_or_404(selectors.get_message, msg_id)
    if why := why_not_resend(message, resent_as=selectors.resend_links(msg_id).resent_as):
        return _show_refusal(request, message, why)
    before = Message.objects.values_list("payload", flat=True).get(pk=msg_id)
    if len(before.encode()) > MAX_EDITED_BYTES:
        return _show_refusal(request, message, _TOO_LARGE)
    if request.method == "POST":
        return _answer_form(request, message, CorrectionForm(request.POST, before=before), send)
    audit.record_entry(actor=actor_of(request), action=VIEW_PAYLOAD, msg_id=msg_id)
    form = CorrectionForm(initial={"payload": before, "cancel_original": True}, before=before)
    return show_editor(request, message, form)


def _answer_form(
    request: HttpRequest, message: MessageColumns, form: CorrectionForm, send: Sender
) -> HttpResponse:
    if not form.is_valid():
        payload = form.cleaned_data.get(FIELD)
        return show_editor(request, message, form, payload=payload, status=400)
    if form.is_sending() and form.is_reviewed():
        return send(request, message, form)
    return show_editor(request, message, form, payload=form.cleaned_data[FIELD])


def _send_correction(request: HttpRequest, message: MessageColumns, form: CorrectionForm) -> HttpResponse:
    try:
        sent = resend_message(
            msg_id=message.pk,
            payload=form.cleaned_data[FIELD],
            actor=actor_of(request),
            reason=form.cleaned_data["reason"],
            cancel_original=form.cleaned_data["cancel_original"],
        )
    except MessageNotFound as error:
        raise no_message(message.pk) from error
    except ActionRefused as refusal:
        current, _ = read_or_404(selectors.get_message, message.pk)
        return _show_refusal(request, current, str(refusal))
    except Problem as problem:
        form.add_error(FIELD, problem.detail)
        return show_editor(request, message, form, status=problem.status)
    notices.success(request, f"Sent as message {sent.msg_id}, corrected from message {message.pk}.")
    return redirect("message-detail", sent.msg_id)


def show_editor(
    request: HttpRequest,
    message: MessageColumns,
    form: CorrectionForm,
    *,
    payload: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the editor, with the difference if `payload` can be sent."""
    comparison = _compare_payloads(form.before, payload) if payload is not None else None
    context = {
        "message": message,
        "form": form,
        "comparison": comparison,
        "rows": list(comparison.table_rows(is_unified=True)) if comparison else [],
        "options": {"is_unified": True},
        "digest": "" if payload is None else digest_of(form.before, payload),
        "effects": effects_of_resend(message),
        "needs_approval": is_second_person_needed(),
    }
    return PAGES.render_page(request, "correct", context, status=status)


def _compare_payloads(before: str, payload: str) -> Comparison:
    left, right = (visible_content(*content_in_memory(text), masked=False) for text in (before, payload))
    return compare_contents(left, right, is_exact=True, own=(Placeholders(), Placeholders()))


def _show_refusal(request: HttpRequest, message: MessageColumns, why: str) -> HttpResponse:
    context = {"message": message, "spec": {"participle": "corrected and resent"}, "why": why}
    return PAGES.render_page(request, "refused", context, status=409)
