"""Writes families as rows: the messages first, then their other rows."""

from random import Random

from messages_app.demo import documents
from messages_app.demo.arrival_times import DAY
from messages_app.demo.drafts import Draft, ExchangeDraft, ExternalCallDraft
from messages_app.demo.failures import INVALID_INPUT, failed_desc, failed_reason
from messages_app.demo.rows import Rows, moment_of
from messages_app.demo.world import OPERATIONS, SYNCHRONOUS_URIS, Target
from messages_app.shared.message_states import (
    CONFIRMATION_OPERATION,
    FINAL_STATES,
    ExternalCallState,
    MessageState,
)

# Only recent messages have a history of states, because its trigger was installed with the console.
HISTORY_DAYS = 3
# Before this age the hub kept the funnel value in the message. Source: docs/contributing/spec/cleverbus.md,
# "Table funnel".
_OLD_FUNNEL_DAYS = 600

_WITHOUT_LAST_PROCESS = 0.002
_WITH_CUSTOM_DATA = 0.03
_WITH_BUSINESS_ERROR = 0.012
_WITH_CONFIRMATION = 0.006
_MAX_CONFIRMATIONS = 4
_BUSINESS_ERRORS = (
    "BE04: address could not be verified",
    "BE11: customer has no e-mail address||BE12: letter was sent instead",
    "BE20: reading differs from the estimate by more than 30 per cent",
)
_CONFIRMATION = Target(uri=CONFIRMATION_OPERATION)


class Recorder:
    """Turns drafts into rows of the hub's tables."""

    def __init__(self, *, rows: Rows, now: float, random: Random) -> None:
        self._rows = rows
        self._now = now
        self._random = random

    def write_family(self, root: Draft) -> None:
        """Write a message and its descendants with all their rows."""
        fill = self._fill(root)
        self._write_message(root, fill)
        for call in root.calls:
            self._write_call(root, call, _call_key(root, call))
        for exchange in root.exchanges:
            self._write_exchange(root, exchange, fill)
        self._write_confirmation(root)
        self._write_funnel(root)
        self._write_history(root)
        for child in root.children:
            self.write_family(child)

    def write_synchronous(self, at: float, number: int) -> None:
        """Write one exchange without a message; sometimes only its response is left."""
        random, rows = self._random, self._rows
        operation = OPERATIONS["createCustomer"]
        fill = {
            "correlation_id": f"sync-{number}",
            "object_id": f"C{number % 40_000:06d}",
            "time": str(moment_of(at)).replace(" ", "T"),
            "name": documents.choose_name(random),
            "number": number,
        }
        answer = documents.response_envelope(operation, fill)
        if random.random() < 0.03:
            answered_at = moment_of(at) if number % 3 else None
            rows.add("response", rows.new_id(), None, answer, None, answered_at, False, None)
            return
        req_id = rows.new_id()
        join_id = f"ID-hub{number % 2 + 1:02d}-{int(at)}-0-{number}"
        uri = random.choice(SYNCHRONOUS_URIS)
        rows.add(
            "request", req_id, None, join_id, uri, documents.request_envelope(operation, fill), moment_of(at)
        )
        if random.random() < 0.97:
            rows.add("response", rows.new_id(), req_id, answer, None, moment_of(at + 0.2), False, None)

    def _fill(self, draft: Draft) -> dict[str, object]:
        reference = draft.parent.object_id if draft.parent else ""
        return documents.fill_template(
            draft,
            at=draft.msg_at,
            number=draft.number,
            random=self._random,
            reference=reference,
            has_postal_code=draft.failure is not INVALID_INPUT,
        )

    def _write_message(self, draft: Draft, fill: dict[str, object]) -> None:
        draft.msg_id = self._rows.new_id()
        operation = draft.operation
        self._rows.add(
            "message",
            draft.msg_id,
            draft.correlation_id,
            draft.process_id,
            operation.service,
            operation.name,
            draft.source_system,
            draft.object_id,
            operation.entity_type,
            *self._progress_columns(draft),
            *self._trouble_columns(draft),
            *self._relation_columns(draft),
            *self._content_columns(draft, fill),
        )

    def _progress_columns(self, draft: Draft) -> tuple[object, ...]:
        is_lost = draft.state in FINAL_STATES and self._random.random() < _WITHOUT_LAST_PROCESS
        return (
            draft.state,
            moment_of(draft.msg_at),
            moment_of(draft.received_at),
            moment_of(draft.started_at),
            None if is_lost else moment_of(draft.processed_at),
            moment_of(draft.queued_at),
            draft.node,
        )

    def _trouble_columns(self, draft: Draft) -> tuple[object, ...]:
        random, failure = self._random, draft.failure
        has_business_error = draft.state == MessageState.OK and random.random() < _WITH_BUSINESS_ERROR
        business_error = random.choice(_BUSINESS_ERRORS) if has_business_error else None
        if failure is None:
            return draft.failed_count, None, None, business_error
        text = failed_desc(failure, service=draft.operation.service, random=random)
        return draft.failed_count, failure.code, text, business_error

    def _relation_columns(self, draft: Draft) -> tuple[object, ...]:
        parent, values = draft.parent, draft.funnel_values
        return (
            parent and parent.msg_id,
            draft.binding,
            values[0] if values and self._has_old_funnel(draft) else None,
            (draft.operation.funnel if values else None),
            draft.is_ordered,
            False,
        )

    def _content_columns(self, draft: Draft, fill: dict[str, object]) -> tuple[str, str | None, str | None]:
        payload = documents.payload_template(draft.operation, self._random) % fill
        envelope = documents.wrap_in_envelope(payload, fill) if draft.parent is None else None
        has_custom_data = self._random.random() < _WITH_CUSTOM_DATA
        return payload, envelope, f"targetId={draft.object_id};step=2" if has_custom_data else None

    def _has_old_funnel(self, draft: Draft) -> bool:
        return draft.state == MessageState.OK and draft.received_at < self._now - _OLD_FUNNEL_DAYS * DAY

    def _write_call(self, draft: Draft, call: ExternalCallDraft, key: str) -> None:
        self._rows.add(
            "external_call",
            self._rows.new_id(),
            draft.msg_id,
            call.target.uri,
            call.state,
            key,
            moment_of(draft.msg_at),
            moment_of(call.created_at),
            moment_of(call.updated_at),
            call.failed_count,
        )

    def _write_confirmation(self, draft: Draft) -> None:
        """
        Write the confirmation to the source system if it failed at first, or permanently, which is rare.

        Source: docs/contributing/spec/cleverbus.md, "Confirmations".
        """
        random = self._random
        is_confirmed = draft.state in (MessageState.OK, MessageState.FAILED) and not draft.children
        if not is_confirmed or random.random() > _WITH_CONFIRMATION:
            return
        call = ExternalCallDraft(target=_CONFIRMATION, at=draft.processed_at)
        call.failed_count = random.choices((1, 2, 3, _MAX_CONFIRMATIONS), (6, 3, 2, 2))[0]
        is_over = call.failed_count == _MAX_CONFIRMATIONS
        ends_at = draft.processed_at + 70 * (call.failed_count - is_over)
        call.end_in(ExternalCallState.FAILED_END if is_over else ExternalCallState.OK, ends_at)
        if ends_at > self._now:
            call.failed_count = 1
            call.end_in(ExternalCallState.FAILED, draft.processed_at)
        # The key is only the correlation id, so two systems with the same id would collide in the hub too.
        self._write_call(draft, call, draft.correlation_id)

    def _write_exchange(self, draft: Draft, exchange: ExchangeDraft, fill: dict[str, object]) -> None:
        rows, operation = self._rows, draft.operation
        req_id = rows.new_id()
        envelope = documents.request_envelope(operation, fill)
        uri = exchange.target.uri
        rows.add(
            "request", req_id, draft.msg_id, draft.correlation_id, uri, envelope, moment_of(exchange.sent_at)
        )
        if exchange.answered_at is None:
            return
        failure = exchange.failure
        answer = reason = None
        if failure is None:
            answer = documents.response_envelope(operation, fill)
        else:
            reason = failed_reason(failure, service=operation.service, random=self._random)
        answered_at = moment_of(exchange.answered_at)
        # The hub sometimes loses the link to the request, never the one to the message. Source:
        # docs/contributing/spec/cleverbus.md, "Requests and responses".
        linked = None if self._random.random() < 0.003 else req_id
        rows.add(
            "response", rows.new_id(), linked, answer, reason, answered_at, failure is not None, draft.msg_id
        )

    def _write_funnel(self, draft: Draft) -> None:
        if not draft.funnel_values or self._has_old_funnel(draft):
            return
        for value in draft.funnel_values:
            self._rows.add("funnel", self._rows.new_id(), draft.msg_id, value)

    def _write_history(self, draft: Draft) -> None:
        if draft.received_at < self._now - HISTORY_DAYS * DAY:
            return
        for from_state, to_state, at in draft.history:
            self._rows.add("message_event", draft.msg_id, from_state, to_state, moment_of(at))


def _call_key(draft: Draft, call: ExternalCallDraft) -> str:
    """
    Return the key by which the hub recognizes a call that it has already made.

    Source: docs/contributing/spec/cleverbus.md, "External calls".
    """
    if call.target.keyed_by_object:
        return f"{draft.operation.entity_type}_{draft.object_id}"
    return f"{draft.source_system}_{draft.correlation_id}"
