"""
WAITING_FOR_RES: since when, for whom; nothing in the hub ever ends it.

Source: spec/cleverbus.md 2.3, 2.6 and 10 (the built-in alert).
"""

from messages_app.messages.explaining.advice import may
from messages_app.messages.explaining.answer import Explanation, explained, step
from messages_app.messages.explaining.looks import along
from messages_app.messages.explaining.reasons import By, NextStep, Reason
from messages_app.messages.explaining.subject import Subject
from messages_app.messages.hub_defaults import RESPONSE_ALERT_AFTER
from messages_app.messages.models import ExternalCall, Request
from messages_app.messages.states import MessageAction
from messages_app.web.formats import duration
from messages_app.web.words import clock


def explain_response(subject: Subject) -> Explanation:
    """Explain a message in WAITING_FOR_RES."""
    if subject.at - subject.since > RESPONSE_ALERT_AFTER:
        return _overdue(subject)
    return explained(
        Reason.WAITS_FOR_RESPONSE,
        f"{subject.lasting()}, since {clock(subject.since)}: it waits for another system to answer.",
        _asked(subject),
        "It goes on when the answer comes; the hub itself never ends this wait.",
        then=step(NextStep.ANSWER, By.OUTSIDE),
    )


def _overdue(subject: Subject) -> Explanation:
    can_cancel = may(subject, MessageAction.CANCEL)
    return explained(
        Reason.RESPONSE_OVERDUE,
        f"{subject.lasting()}, since {clock(subject.since)}: another system has not answered for longer than "
        f"the {duration(RESPONSE_ALERT_AFTER)} after which the hub's alert counts it.",
        _asked(subject),
        "The hub never ends this wait: get the answer sent"
        f"{', or cancel it.' if can_cancel else '; this hub allows no cancel in this state.'}",
        then=step(NextStep.CHASE_ANSWER, By.OPERATOR),
    )


def _asked(subject: Subject) -> str:
    """Say what was sent last: the request if the hub keeps requests, else the external call."""
    requests = along(Request.objects.defer("req_envelope"), "msg_id", subject.msg_id, then="-req_id")
    request = requests.first()
    if request is not None:
        return f"Its last request went to {request.shown_uri} at {clock(request.req_timestamp)}."
    call = along(ExternalCall.objects, "msg_id", subject.msg_id, then="-call_id").first()
    if call is None:
        return ""
    return (
        f"Its last call, {call.shown_operation}, is {call.state} since {clock(call.last_update_timestamp)}."
    )
