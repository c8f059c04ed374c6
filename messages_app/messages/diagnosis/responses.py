"""
Explanations of WAITING_FOR_RES, which the hub never ends on its own.

Source: docs/contributing/spec/cleverbus.md, "Transitions", "Repair", "Built-in alert".
"""

from messages_app.core.formatting import format_duration, format_moment
from messages_app.messages.diagnosis.advice import is_allowed
from messages_app.messages.diagnosis.explanation import Explanation, build_explanation, make_step
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.subject import Subject, filter_by_index
from messages_app.messages.models import ExternalCall, Request
from messages_app.shared.hub_defaults import RESPONSE_ALERT_AFTER
from messages_app.shared.message_states import MessageAction


def explain_response(subject: Subject) -> Explanation:
    """Explain a message in WAITING_FOR_RES."""
    if subject.at - subject.since > RESPONSE_ALERT_AFTER:
        return _explain_overdue_response(subject)
    return build_explanation(
        Reason.WAITS_FOR_RESPONSE,
        f"{subject.write_status()}, since {format_moment(subject.since)}: it waits for a response "
        "from another system.",
        _write_last_request(subject),
        "It continues when the response arrives. The hub has no time limit for this.",
        next_step=make_step(NextStep.ANSWER, By.OUTSIDE),
    )


def _explain_overdue_response(subject: Subject) -> Explanation:
    can_cancel = is_allowed(subject, MessageAction.CANCEL)
    return build_explanation(
        Reason.RESPONSE_OVERDUE,
        f"{subject.write_status()}, since {format_moment(subject.since)}: another system has not "
        "responded for longer "
        f"than the {format_duration(RESPONSE_ALERT_AFTER)} after which the hub's alert counts it.",
        _write_last_request(subject),
        "The hub has no time limit for this: have the response sent"
        f"{', or cancel it.' if can_cancel else '; this hub does not allow a cancel in this state.'}",
        next_step=make_step(NextStep.CHASE_ANSWER, By.OPERATOR),
    )


def _write_last_request(subject: Subject) -> str:
    """Write the last request, if the hub keeps requests, or else the last external call."""
    requests = filter_by_index(
        Request.objects.defer("req_envelope"), "msg_id", subject.msg_id, order="-req_id"
    )
    request = requests.first()
    if request is not None:
        return f"Its last request went to {request.shown_uri} at {format_moment(request.req_timestamp)}."
    call = filter_by_index(ExternalCall.objects, "msg_id", subject.msg_id, order="-call_id").first()
    return "" if call is None else write_call(call)


def write_call(call: ExternalCall) -> str:
    """Write the last external call of a message."""
    since = format_moment(call.last_update_timestamp)
    return f"Its last call, {call.shown_operation}, is {call.state} since {since}."
