"""The page of webhooks, which are changed by the API."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import requires_permission
from messages_app.core.deliveries.formats import FORMATS
from messages_app.core.deliveries.webhook_calls import mask_webhook
from messages_app.core.statements import Statements
from messages_app.jobs.webhooks.events import WebhookEvent
from messages_app.jobs.webhooks.models import Webhook
from messages_app.jobs.webhooks.services import send_test_of_webhook
from messages_app.messages.alerts.forms import alert_sections
from messages_app.messages.filters.vocabulary import label_of

statements = Statements("messages_app.jobs.webhooks")

_EVENTS = {
    WebhookEvent.JOB_ENDED: "a job has ended",
    WebhookEvent.MESSAGES_FINAL: "messages reached a final state",
}
# The number of waiting deliveries of all webhooks that are counted.
MAX_WAITING = 10_000


@dataclass(frozen=True, kw_only=True)
class _Line:
    """
    A line of the list.

    Args:
        waiting: its deliveries that wait for an attempt.
    """

    hook: Webhook
    waiting: int

    @property
    def address(self) -> str:
        return mask_webhook(self.hook.url)

    @property
    def format(self) -> str:
        return FORMATS[self.hook.format]

    @property
    def event(self) -> str:
        return _EVENTS[WebhookEvent(self.hook.event)]

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """The filter as labels and values; empty: everything."""
        return list(self._iterate_conditions())

    def _iterate_conditions(self) -> Iterator[tuple[str, str]]:
        if self.hook.kinds:
            yield "Kind", ", ".join(self.hook.kinds)
        if self.hook.states:
            yield "State", ", ".join(self.hook.states)
        for name, value in self.hook.filter.items():
            yield label_of(name), str(value)


@require_safe
@requires_permission(roles.CAN_CHANGE_WEBHOOKS)
def webhook_list(request: HttpRequest) -> HttpResponse:
    waiting: dict[int, int] = dict(statements.fetch_rows("count_waiting", {"most": MAX_WAITING}))
    hooks = Webhook.objects.order_by("name")
    context = {
        "lines": [_Line(hook=hook, waiting=waiting.get(hook.pk, 0)) for hook in hooks],
        "is_cut": sum(waiting.values()) >= MAX_WAITING,
        "sections": alert_sections("webhooks", user=user_of(request)),
    }
    return render(request, "messages_app/alerts/webhooks.html", context)


@require_POST
@requires_permission(roles.CAN_CHANGE_WEBHOOKS)
def test_webhook(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Send a test to a webhook."""
    hook = get_object_or_404(Webhook, pk=webhook_id)
    if error := send_test_of_webhook(hook, actor=actor_of(request)):
        notices.error(request, f"The test was not sent: {error}")
    else:
        notices.success(request, f"Test sent to {hook.name}.")
    return redirect("webhooks")
