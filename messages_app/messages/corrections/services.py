"""
Correct the payload of a failed message, and send it as a new message that is linked to the old one.

The new message, the cancel of the old one, the link and the audit entries are one transaction.

Source: docs/contributing/spec/cleverbus.md, "Correct and resend".
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from django.conf import settings
from django.db import DataError, IntegrityError, ProgrammingError, connection, transaction

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.problems import Problem
from messages_app.messages import services
from messages_app.messages.attachment import Feature, hub_time_zone, refusal_of, refuse_if_attached
from messages_app.messages.corrections.payloads import check_payload
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.selectors import resend_links
from messages_app.messages.services import ActionRefused, AlreadyResent, MessageNotFound
from messages_app.shared.corrections import Link, RowsLost, cancel_originals, link_messages, store_corrected
from messages_app.shared.job_states import BulkGuard

RESEND = "resend"
MASKED = "It can be corrected and resent only by users who see all values. They are masked for you."
NEEDS_SECOND_PERSON = (
    "A second person must approve each corrected payload. Create a job of kind resend, which waits for that."
)


def is_second_person_needed() -> bool:
    """Whether messages are resent only by jobs that another user has approved."""
    return bool(settings.RESEND_GUARD == BulkGuard.SECOND_PERSON)


def may_resend(user: Caller) -> bool:
    """Whether a user may correct payloads: with `edit_payload`, and while they see all values."""
    return user.has_perm(roles.CAN_EDIT_PAYLOAD) and user.has_perm(roles.CAN_VIEW_PAYLOAD)


def why_not_resend(message: MessageColumns, *, resent_as: int | None) -> str:
    """Return the reason why no user can resend this message now, or empty."""
    if isinstance(message, ArchiveMessage):
        return "It is in the archive: restore it before you correct it."
    if refusal := refusal_of(Feature.RESEND):
        return refusal.detail
    if resent_as is not None:
        return f"It was already corrected and resent as message {resent_as}."
    allowed = services.hub_rules().resend_from
    if message.state in allowed:
        return ""
    return f"It is {message.state}; correct and resend is possible only from {', '.join(sorted(allowed))}."


@dataclass(frozen=True)
class ResendOffer:
    """Whether the page of a message offers a resend, or says why not. Neither for most messages."""

    is_offered: bool = False
    why_not: str = ""


def offer_of_resend(user: Caller, message: MessageColumns, *, resent_as: int | None) -> ResendOffer:
    """Return the offer for users with `edit_payload`, in states that allow a resend."""
    if not user.has_perm(roles.CAN_EDIT_PAYLOAD) or message.state not in services.hub_rules().resend_from:
        return ResendOffer()
    if why := why_not_resend(message, resent_as=resent_as):
        return ResendOffer(why_not=f"It cannot be corrected and resent. {why}")
    if not user.has_perm(roles.CAN_VIEW_PAYLOAD):
        return ResendOffer(why_not=MASKED)
    return ResendOffer(is_offered=True)


def resend_message(
    *,
    msg_id: int,
    payload: str,
    actor: audit.Actor,
    reason: str,
    cancel_original: bool = True,
    expected_state: str | None = None,
) -> Message:
    """
    Send a corrected payload as a new message, and return the new message without its contents.

    The original is cancelled unless `cancel_original` is false; it keeps its payload either way.

    Raises:
        Problem: 400, the payload is not valid; 409, a second person must approve it, or the hub's database
            refused it.
        AlreadyResent: it was resent before.
        NotAttachedForThis: the console lacks a right on the tables of an attached hub.
        others: as services.cancel_message.
    """
    refuse_if_attached(Feature.RESEND)
    if is_second_person_needed():
        raise Problem(409, "approval_required", NEEDS_SECOND_PERSON)
    with transaction.atomic():
        services.name_actor(actor)
        with connection.cursor() as cursor:
            links = link_messages(cursor, {msg_id: expected_state}, rules=services.hub_rules(), job_id=None)
        if links:
            return _store_correction(
                links[0], payload, actor=actor, reason=reason, cancel_original=cancel_original
            )
        refusal = _find_refusal(msg_id, expected_state=expected_state)
        if isinstance(refusal, ActionRefused):
            services.record_refusal(refusal, action=RESEND, msg_id=msg_id, actor=actor, reason=reason)
    raise refusal


@contextmanager
def _refusals_of_hub() -> Iterator[None]:
    """
    Name the reason if a constraint or a trigger of the hub refuses the new message, or leaves it out.

    Raises:
        Problem: 409, it does.
    """
    try:
        yield
    except (RowsLost, DataError, IntegrityError, ProgrammingError) as error:
        cause = error.__cause__
        if isinstance(error, ProgrammingError) and not isinstance(cause, psycopg.errors.RaiseException):
            raise
        constraint = cause.diag.constraint_name if isinstance(cause, psycopg.Error) else None
        by = f"the constraint {constraint}" if constraint else "a trigger or the type of a column"
        text = f"The hub's database refused the new message by {by}. Nothing was sent or changed."
        raise Problem(409, "refused_by_hub", text) from error


def _store_correction(
    link: Link, payload: str, *, actor: audit.Actor, reason: str, cancel_original: bool
) -> Message:
    """Store the new message and what belongs to it. The original is locked."""
    before = Message.objects.values_list("payload", flat=True).get(pk=link.original_id)
    check_payload(payload, before=before)
    rules, zone = services.hub_rules(), hub_time_zone()
    with _refusals_of_hub(), connection.cursor() as cursor:
        store_corrected(cursor, [link], {link.original_id: payload}, rules=rules, zone=zone)
        if cancel_original:
            cancel_originals(cursor, [link], rules=rules, zone=zone)
    after = rules.cancel_to if cancel_original else link.old_state
    details = {"resent_as": link.msg_id, "cancel_original": cancel_original}
    _record_resend(actor, link.original_id, reason, link.old_state, after, details)
    _record_resend(actor, link.msg_id, reason, "", rules.resend_to, {"resent_from": link.original_id})
    return Message.objects.defer("payload", "envelope").get(pk=link.msg_id)


def _record_resend(
    actor: audit.Actor, msg_id: int, reason: str, before: str, after: str, details: Mapping[str, object]
) -> AuditEntry:
    return audit.record_entry(
        actor=actor,
        action=RESEND,
        msg_id=msg_id,
        before_state=before,
        after_state=after,
        reason=reason,
        details=details,
    )


def _find_refusal(msg_id: int, *, expected_state: str | None) -> ActionRefused | MessageNotFound:
    """Return why nothing was sent, from the current rows."""
    rules = services.hub_rules()
    refusal = services.find_refusal(
        "correct and resend", allowed=rules.resend_from, msg_id=msg_id, expected_state=expected_state
    )
    resent_as = resend_links(msg_id).resent_as
    if resent_as is None or not isinstance(refusal, services.StateConflict):
        return refusal
    text = f"Message {msg_id} was already corrected and resent as message {resent_as}."
    return AlreadyResent(text, current_state=refusal.current_state, resent_as=resent_as)
