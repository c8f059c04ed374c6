"""The page of one message: its status with the reason, attempts with logs, data and written records."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from django import forms
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse_request
from messages_app.audit import services as audit
from messages_app.audit.selectors import entries_about
from messages_app.core.charts.bars import Bar, make_bars
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import read_choice
from messages_app.core.reason_form import ReasonForm
from messages_app.message_store import registration, selectors
from messages_app.message_store.file_store import PathRefused, path_of
from messages_app.message_store.models import MessageHistory, MessageStore
from messages_app.message_store.selectors import stored_identifier
from messages_app.message_store.selectors.explanation import Explanation, explain_message
from messages_app.message_store.selectors.messages import ListedMessage
from messages_app.message_store.services.records import plain_key, written_key
from messages_app.message_store.states import badge_of
from messages_app.message_store.views import PAGES, VIEWS
from messages_app.payloads.loader import (
    Beginning,
    ContentNotFound,
    StoredText,
    read_beginning,
    read_pieces,
    visible_content,
)
from messages_app.payloads.view_params import VIEW_PARAMETERS
from messages_app.payloads.views import render_content
from messages_app.shared.store_states import RELEASED_FROM, RETRIED_FROM, may_mute, may_reprocess

_SECTION = "store-messages"
_READING = "view_stored_data"  # as the audit names it
_ATTEMPTS = 25
# The strip of attempts, in percent of its width.
_WHOLE, _MARK = 100, 1.2


@VIEWS.shows_page
@takes_parameters("attempts", "cursor")
def message_page(request: HttpRequest, identifier: str) -> HttpResponse:
    return render_message(request, message_or_404(identifier))


def message_or_404(identifier: str) -> ListedMessage:
    """Return the message of an address. Raises Http404."""
    key = stored_identifier(identifier)
    message = None if key is None else selectors.message_of(key)
    if message is None:
        raise Http404("The store has no message with this identifier.")
    return message


def render_message(
    request: HttpRequest, message: ListedMessage, status: int = 200, **more: object
) -> HttpResponse:
    """Render the page. `more` has submitted forms with their errors."""
    key = message.line.message_identifier
    explanation = explain_message(message)
    is_archive = read_choice(request.GET, "attempts", ("archived",)) is not None
    read = selectors.archived_page if is_archive else selectors.attempt_page
    attempts = read(key, cursor=request.GET.get("cursor"), page_size=_ATTEMPTS)
    records, are_more = selectors.records_written(key)
    may_act = request.user.has_perm(registration.CAN_REPROCESS)
    context = {
        "message": message,
        "line": message.line,
        "badge": badge_of(message.status),
        "explanation": explanation,
        "missing": [(entity, plain_key(key), written_key(key)) for entity, key in explanation.missing],
        "waits": _draw_waits(explanation),
        "attempts": [(one, badge_of(one.status)) for one in attempts.rows],
        "is_archive": is_archive,
        "has_archived": selectors.has_archived(key),
        "strip": _place_attempts(attempts.rows),
        "page": attempts,
        "records": records,
        "are_more_records": are_more,
        "data_bytes": selectors.data_bytes(key),
        "options": selectors.options_of(key),
        "activity": entries_about("store_message", key),
        "may_download_file": _may_download_file(request, message),
        "may_act": may_act,
        **(forms_for(message) if may_act else {}),
    }
    return PAGES.render_page(request, "message", context | more, section=_SECTION, status=status)


class ReprocessForm(ReasonForm):
    """Why a message is processed again; of a refresh message its entity is named."""

    confirm_refresh = forms.CharField(
        required=False,
        label="Entity (to confirm the refresh)",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean(self) -> dict[str, object]:
        """Return the arguments of the service."""
        values = super().clean() or {}
        entity = values.pop("confirm_refresh", "") or None
        return {**values, "confirmed_entity": entity}


class ReleaseForm(ReasonForm):
    """The reason for taking a message from its worker."""

    is_worker_dead = forms.BooleanField(
        required=False, label="The worker is dead: do not wait for the timeout"
    )


FORMS = {
    "reprocess": ReprocessForm,
    "retry_now": ReasonForm,
    "release": ReleaseForm,
    "mute": ReasonForm,
    "unmute": ReasonForm,
}


def forms_for(message: ListedMessage) -> Mapping[str, forms.Form]:
    """Return the empty forms of what the message's status allows, by `<action>_form`."""
    return {f"{name}_form": FORMS[name](auto_id=f"{name}_%s") for name in FORMS if _is_allowed(name, message)}


def _is_allowed(name: str, message: ListedMessage) -> bool:
    status = message.status
    if status is None:
        return False
    if name in ("mute", "unmute"):
        is_muted = message.line.muted_at is not None
        return is_muted if name == "unmute" else may_mute(status) and not is_muted
    if not message.line.has_process:
        return False
    if name == "reprocess":
        return may_reprocess(status)
    return status in (RETRIED_FROM if name == "retry_now" else RELEASED_FROM)


def _may_download_file(request: HttpRequest, message: ListedMessage) -> bool:
    has_file = message.store is not None and bool(message.store.file_path)
    return has_file and request.user.has_perm(roles.CAN_VIEW_PAYLOAD)


def _draw_waits(explanation: Explanation) -> list[tuple[Bar, str]]:
    """Return the figures behind the next attempt, seconds, as bars with their colour."""
    wait = explanation.wait
    if wait is None or wait.seconds is None:
        return []
    figures = (
        ("by age", wait.raw),
        ("at least", wait.floor),
        ("at most", wait.cap),
        ("wait", wait.seconds),
    )
    bars = make_bars((text, round(seconds), "") for text, seconds in figures)
    return [(bar, "WAITING" if bar is bars[-1] else "CANCEL") for bar in bars]


def _place_attempts(attempts: Sequence[MessageHistory]) -> list[tuple[str, float]]:
    """Return (colour, place in percent) of attempts on an axis from the first to the last of them."""
    if len(attempts) < 2:
        return []
    first, last = attempts[-1].processed_timestamp, attempts[0].processed_timestamp
    room = _WHOLE - _MARK
    return [
        (badge_of(one.status).tone, round(room * ((one.processed_timestamp - first) / (last - first)), 2))
        for one in reversed(attempts)
    ]


@VIEWS.shows_page
@takes_parameters(*VIEW_PARAMETERS)
def show_data(request: HttpRequest, identifier: str) -> HttpResponse:
    """Show a piece of a message's data, masked for users without `view_payload`."""
    key, rows = _stored_rows(identifier)
    beginning = _read_data(rows)
    masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
    source = StoredText(rows, "data", beginning.stored_bytes or 0)
    content = visible_content(beginning, source, masked=masked)
    if not content.view.masked:
        _record_reading(request, key)
    owner = (f"Store message {key}", reverse("store-message", args=[key]))
    return render_content(request, content, title="Data", owner=owner, box=f"data-{key}")


@VIEWS.shows_page
def download_data(request: HttpRequest, identifier: str) -> StreamingHttpResponse:
    """Send a message's data byte for byte, never as something that a browser would show."""
    key, rows = _stored_rows(identifier)
    _check_may_read(request, key)
    beginning = _read_data(rows)
    _record_reading(request, key)
    return StreamingHttpResponse(
        read_pieces(StoredText(rows, "data", beginning.stored_bytes or 0)),
        content_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="data-{_as_file_name(key)}.txt"'},
    )


def _as_file_name(text: str) -> str:
    """Return a text that others wrote without characters that a header or a file's name cannot have."""
    return re.sub(r"[^\w .-]", "_", text, flags=re.ASCII)


@VIEWS.shows_page
def download_file(request: HttpRequest, identifier: str) -> FileResponse:
    """Send the file of the file store that a message names."""
    key, rows = _stored_rows(identifier)
    _check_may_read(request, key)
    text = rows.values_list("file_path", flat=True).first()
    if not text:
        raise Http404("The message does not refer to a file in the file store.")
    try:
        content = path_of(text).open("rb")
    except PathRefused as refusal:
        raise Http404(f"The message's file_path {refusal}") from None
    except OSError as error:
        raise Http404(f"The message's file cannot be read: {error.strerror}.") from None
    _record_reading(request, key)
    return FileResponse(
        content,
        as_attachment=True,
        filename=_as_file_name(PurePosixPath(text).name),
        content_type="application/octet-stream",
    )


def _stored_rows(identifier: str) -> tuple[str, QuerySet[MessageStore]]:
    key = stored_identifier(identifier)
    if key is None:
        raise Http404("There is no message with this identifier.")
    return key, MessageStore.objects.filter(pk=key)


def _read_data(rows: QuerySet[MessageStore]) -> Beginning:
    try:
        return read_beginning(rows, "data")
    except ContentNotFound:
        raise Http404("Content not available: the store has no such message.") from None


def _check_may_read(request: HttpRequest, key: str) -> None:
    if not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
        refuse_request(request, action=_READING, is_reading=True, subject_kind="store_message", subject=key)


def _record_reading(request: HttpRequest, key: str) -> None:
    audit.record_entry(actor=actor_of(request), action=_READING, subject_kind="store_message", subject=key)
