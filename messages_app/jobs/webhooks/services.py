"""Creates, changes and deletes webhooks, with an audit entry for each."""

from collections.abc import Collection, Mapping
from typing import TypedDict, Unpack

from django.db import transaction

from messages_app.access.actors import Caller
from messages_app.access.target_tests import send_recorded_test
from messages_app.audit import services as audit
from messages_app.core.deliveries.formats import OF_INCIDENTS, Format
from messages_app.core.deliveries.webhook_calls import check_address_field, mask_webhook
from messages_app.core.filters.address import as_query
from messages_app.core.filters.table import name_values
from messages_app.core.named_rows import audited_values, check_name, save_named_row
from messages_app.core.problems import FieldError, Problem, bad_field, bad_input, quote_value, unknown_name
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.validation import type_errors
from messages_app.jobs.webhooks.delivery import target_of
from messages_app.jobs.webhooks.events import WebhookEvent
from messages_app.jobs.webhooks.models import Webhook
from messages_app.messages.filters.message_filter import FILTERS as MESSAGE_FILTERS
from messages_app.messages.filters.message_filter import parse_message_filter
from messages_app.shared.job_records import Given
from messages_app.shared.message_states import FINAL_STATES

# The filters of the list of messages that compare a column that does not change after the end of a message.
FILTERS = frozenset(
    {
        "service_name",
        "operation_name",
        "source_system",
        "entity_type",
        "object_id",
        "process_id",
        "correlation_id",
        "parent_msg_id",
        "funnel_component_id",
        "failed_error_code",
    }
)
# An ended job or a final message opens no incident that ends later.
WEBHOOK_FORMATS = [str(each) for each in Format if each not in OF_INCIDENTS]

statements = Statements("messages_app.jobs.webhooks")


class WebhookNotFound(Exception):
    """No webhook has this id."""


class WebhookColumns(TypedDict, total=False):
    """The columns that users set."""

    name: str
    url: str
    format: str
    event: str
    enabled: bool
    kinds: list[str]
    states: list[str]
    filter: Given


def create_webhook(
    *, actor: audit.Actor, user: Caller | None, reason: str, **columns: Unpack[WebhookColumns]
) -> Webhook:
    """
    Store a webhook. It is called for what happens from now on.

    Raises:
        Problem: 400, a column is invalid.
    """
    hook = Webhook(**columns)
    _check_webhook(hook, user)
    with transaction.atomic():
        save_named_row(hook, noun="webhook")
        hook.refresh_from_db()
        _record_change("create_webhook", hook, actor, reason, columns)
    return hook


def change_webhook(
    *,
    webhook_id: int,
    actor: audit.Actor,
    user: Caller | None,
    reason: str,
    **columns: Unpack[WebhookColumns],
) -> Webhook:
    """
    Change a webhook. While it is disabled, nothing is noted for it, and nothing is sent.

    Raises:
        Problem: 400, a column is invalid.
        WebhookNotFound: no webhook has this id.
    """
    with transaction.atomic():
        hook = _lock_webhook(webhook_id)
        for name, value in columns.items():
            setattr(hook, name, value)
        _check_webhook(hook, user)
        save_named_row(hook, noun="webhook", update_fields=list(columns))
        _record_change("change_webhook", hook, actor, reason, columns)
    return hook


def delete_webhook(*, webhook_id: int, actor: audit.Actor, reason: str) -> None:
    """
    Delete a webhook with its deliveries.

    Raises:
        WebhookNotFound: no webhook has this id.
    """
    with transaction.atomic():
        hook = _lock_webhook(webhook_id)
        _record_change("delete_webhook", hook, actor, reason, {})
        statements.count("remove_deliveries", {"webhook_id": hook.pk})
        hook.delete()


def send_test_of_webhook(hook: Webhook, *, actor: audit.Actor, reason: str = "") -> str:
    """Send a test to a webhook, and record it. Return why it was not sent; empty: it was."""
    return send_recorded_test(
        target_of(hook),
        name=hook.name,
        actor=actor,
        action="test_webhook",
        subject_kind="webhook",
        subject=hook.pk,
        details={"webhook": hook.name, "url": mask_webhook(hook.url)},
        reason=reason,
    )


def _check_webhook(hook: Webhook, user: Caller | None) -> None:
    """Raise Problem, 400, if the webhook cannot be called, or for nothing."""
    check_name(hook.name)
    check_address_field("url", hook.url)
    is_of_jobs = hook.event == WebhookEvent.JOB_ENDED
    for name, is_of_event in (("kinds", is_of_jobs), ("states", not is_of_jobs), ("filter", not is_of_jobs)):
        if getattr(hook, name) and not is_of_event:
            raise bad_field(name, "invalid_value", f"{name} is not for the event {hook.event}.")
    _check_values("kinds", hook.kinds, kind_specs)
    _check_values("states", hook.states, sorted(FINAL_STATES))
    hook.filter = _checked_filter(hook.filter, user)


def _check_values(name: str, values: Collection[str], choices: Collection[str]) -> None:
    for value in values:
        if value not in choices:
            text = f"{name} must be some of {', '.join(choices)}; not {quote_value(value)}."
            raise bad_field(name, "invalid_value", text)


def _checked_filter(filter: Given, user: Caller | None) -> Given:
    """Return a filter by the names and values of the list. Raises Problem: 400."""
    unknown = [name for name in filter if name not in FILTERS]
    if unknown:
        raise bad_input(
            FieldError(f"filter.{name}", "unknown_field", unknown_name("filter", name, FILTERS))
            for name in unknown
        )
    if errors := list(type_errors(filter, MESSAGE_FILTERS)):
        raise bad_input(errors)
    try:
        parsed = parse_message_filter(as_query(filter), user=user, other_parameters=())
        return name_values(parsed.as_pairs())
    except Problem as problem:
        raise bad_input(
            FieldError(f"filter.{error.field}", error.code, error.message) for error in problem.errors
        ) from None


def _lock_webhook(webhook_id: int) -> Webhook:
    hook = Webhook.objects.select_for_update().filter(pk=webhook_id).first()
    if hook is None:
        raise WebhookNotFound(f"No webhook has the id {webhook_id}.")
    return hook


def _record_change(
    action: str, hook: Webhook, actor: audit.Actor, reason: str, columns: Mapping[str, object]
) -> None:
    details = audited_values(columns)
    if "url" in details:
        details["url"] = mask_webhook(hook.url)
    audit.record_entry(
        actor=actor,
        action=action,
        subject_kind="webhook",
        subject=hook.pk,
        reason=reason,
        details={"webhook": hook.name, **details},
    )
