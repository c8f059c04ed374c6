"""
Writes triggers, and clears their statistics.

Source: docs/contributing/spec/document_history.md, "Stored data", "Statistics".
"""

from typing import Any, TypedDict, Unpack

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.core.edit_versions import check_version, version_of
from messages_app.core.statements import Statements
from messages_app.document_history.models import MAX_TRIGGER_ID, DocumentTrigger
from messages_app.document_history.services.errors import DocumentConflict, InvalidTrigger, TriggerNotFound
from messages_app.document_history.services.resolvers import fault_of
from messages_app.document_history.states import MAX_TTL_SECONDS, RetryFailure
from messages_app.shared.visible_text import is_blank

statements = Statements("messages_app.document_history")


class TriggerChanges(TypedDict, total=False):
    """The properties of a trigger that an operator may change."""

    name: str
    detect_duplicates: bool
    use_history: bool
    history_ttl_seconds: int
    resolver: str
    on_retry_failure: str


class TriggerProperties(TriggerChanges, total=False):
    """The properties of a new trigger."""

    trigger_id: str


CHANGEABLE = tuple(TriggerChanges.__annotations__)
_LENGTHS = {"trigger_id": MAX_TRIGGER_ID, "name": 200, "resolver": 100}


def create_trigger(
    *, actor: audit.Actor, reason: str = "", **properties: Unpack[TriggerProperties]
) -> DocumentTrigger:
    """
    Store a trigger; without a trigger_id it gets a new UUID.

    Raises:
        InvalidTrigger: a property has an invalid value.
        DocumentConflict: another trigger has or had this id, and the new one would take over its entries.
    """
    _check_properties(properties)
    _check_resolver(properties)
    try:
        with transaction.atomic():
            trigger = DocumentTrigger.objects.create(**properties)
            _record_action(actor, "create_trigger", trigger.pk, reason, details={"properties": properties})
    except IntegrityError:
        text = "This id is already used by a trigger, possibly a deleted one."
        raise DocumentConflict(text, current_state="exists") from None
    return DocumentTrigger.objects.get(pk=trigger.pk)


def read_version(trigger: DocumentTrigger) -> str:
    """Return the version of a trigger, for `change_trigger`."""
    return version_of(trigger, CHANGEABLE)


def change_trigger(
    *,
    trigger_id: str,
    actor: audit.Actor,
    reason: str = "",
    version: str | None = None,
    **changes: Unpack[TriggerChanges],
) -> DocumentTrigger:
    """
    Change properties of a trigger. A shorter time to live also applies to existing entries: they expire
    immediately, and a later copy is New (docs/contributing/spec/document_history.md, "Retention").

    Args:
        version: of the trigger that the caller has seen; None: it is not compared.

    Raises:
        EditConflict: it has another version.
        InvalidTrigger: a property has an invalid value.
        TriggerNotFound: no trigger has the id.
    """
    _check_properties(changes)
    with transaction.atomic():
        before = DocumentTrigger.objects.select_for_update().filter(pk=trigger_id, deleted_at=None).first()
        if before is None:
            raise TriggerNotFound(trigger_id)
        check_version(version, read_version(before))
        # An unavailable resolver may stay while another property is changed: doctor and the page warn of it.
        if changes.get("resolver") != before.resolver:
            _check_resolver(changes)
        DocumentTrigger.objects.filter(pk=trigger_id, deleted_at=None).update(**changes)
        old = {name: getattr(before, name) for name in changes}
        details = {"properties": {"before": old, "after": changes}}
        _record_action(actor, "change_trigger", trigger_id, reason, details=details)
    return DocumentTrigger.objects.get(pk=trigger_id)


def delete_trigger(*, trigger_id: str, actor: audit.Actor, reason: str = "") -> DocumentTrigger:
    """
    Delete a trigger and return it. It no longer decides, and its entries are swept after its time to live.

    Raises:
        TriggerNotFound: no trigger has the id.
    """
    with transaction.atomic():
        if not DocumentTrigger.objects.filter(pk=trigger_id, deleted_at=None).update(deleted_at=Now()):
            raise TriggerNotFound(trigger_id)
        _record_action(actor, "delete_trigger", trigger_id, reason, details={"properties": {}})
    return DocumentTrigger.objects.get(pk=trigger_id)


def clear_statistics(*, actor: audit.Actor, reason: str = "", trigger_id: str | None = None) -> None:
    """
    Hide all outcomes up to now from the statistics, of one trigger or of all. Nothing is removed: history and
    decisions do not change (docs/contributing/spec/document_history.md, "Statistics", "Hard cases" case 22).

    Raises:
        TriggerNotFound: no trigger has the id.
    """
    with transaction.atomic():
        changed = statements.count("clear_statistics", {"trigger_id": trigger_id})
        if trigger_id is not None and not changed:
            raise TriggerNotFound(trigger_id)
        _record_action(actor, "clear_statistics", trigger_id or "", reason, details={"properties": {}})


def _check_properties(properties: TriggerProperties | TriggerChanges) -> None:
    for name, value in properties.items():
        if name in _LENGTHS:
            _check_text(name, str(value))
    ttl = properties.get("history_ttl_seconds")
    if ttl is not None and not 1 <= ttl <= MAX_TTL_SECONDS:
        text = f"history_ttl_seconds must be from 1 to {MAX_TTL_SECONDS}."
        raise InvalidTrigger("history_ttl_seconds", "out_of_range", text)
    if properties.get("on_retry_failure", RetryFailure.THROW) not in set(RetryFailure):
        text = f"on_retry_failure must be one of {', '.join(RetryFailure)}."
        raise InvalidTrigger("on_retry_failure", "invalid_value", text)


def _check_resolver(properties: TriggerProperties | TriggerChanges) -> None:
    """Refuse an unavailable resolver, because a typo would only show at the next inconclusive document."""
    if fault := fault_of(properties.get("resolver", "")):
        raise InvalidTrigger("resolver", "invalid_value", fault)


def is_trigger_id(text: str) -> bool:
    """Return whether the text is valid as an id of a trigger, which need not exist."""
    try:
        _check_text("trigger_id", text)
    except InvalidTrigger:
        return False
    return True


def _check_text(name: str, text: str) -> None:
    if name != "resolver" and is_blank(text):
        raise InvalidTrigger(name, "required", f"{name} must not be empty.")
    if len(text) > _LENGTHS[name]:
        raise InvalidTrigger(name, "too_long", f"{name} must have at most {_LENGTHS[name]} characters.")
    if not text.isprintable() or (name == "trigger_id" and not _may_be_in_address(text)):
        raise InvalidTrigger(
            name,
            "invalid_value",
            f"{name} must be printable; an id must not contain spaces or slashes, or be . or ..",
        )


def _may_be_in_address(trigger_id: str) -> bool:
    """Whether an address may have the id as one part of its path."""
    return " " not in trigger_id and "/" not in trigger_id and trigger_id not in {".", ".."}


def _record_action(actor: audit.Actor, action: str, trigger_id: str, reason: str, **further: Any) -> None:
    audit.record_entry(
        actor=actor,
        action=action,
        reason=reason[:1000],
        subject_kind="trigger" if trigger_id else "",
        subject=trigger_id,
        **further,
    )


# Suspends a trigger whose resolver fails temporarily, and resumes it. Source:
# docs/contributing/spec/document_history.md, "Resolver", "History not available".
def suspend_trigger(*, trigger_id: str, because: str) -> None:
    """Suspend a trigger, unless it is suspended. Its checks give no verdict until an operator resumes it."""
    with transaction.atomic():
        if statements.count("suspend_trigger", {"trigger_id": trigger_id, "because": because[:1000]}):
            states = {"before_state": "active", "after_state": "suspended"}
            _record_action(audit.SYSTEM, "suspend_trigger", trigger_id, because, **states)


def resume_trigger(*, trigger_id: str, actor: audit.Actor, reason: str) -> DocumentTrigger:
    """
    Resume a suspended trigger and return it.

    Raises:
        TriggerNotFound: no trigger has the id.
        DocumentConflict: it is not suspended.
    """
    with transaction.atomic():
        if statements.count("resume_trigger", {"trigger_id": trigger_id}):
            states = {"before_state": "suspended", "after_state": "active"}
            _record_action(actor, "resume_trigger", trigger_id, reason, **states)
            return DocumentTrigger.objects.get(pk=trigger_id)
    if not DocumentTrigger.objects.filter(pk=trigger_id, deleted_at=None).exists():
        raise TriggerNotFound(trigger_id)
    raise DocumentConflict("The trigger is not suspended.", current_state="active")
