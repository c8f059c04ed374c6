"""The events that webhooks are called for."""

from collections.abc import Mapping
from enum import StrEnum

from messages_app.core.deliveries.events import SentEvent


class WebhookEvent(StrEnum):
    JOB_ENDED = "job_ended"
    MESSAGES_FINAL = "messages_final"


EVENTS: Mapping[WebhookEvent, SentEvent] = {
    WebhookEvent.JOB_ENDED: SentEvent(
        WebhookEvent.JOB_ENDED, "A job has ended: it is done, failed or stopped.", "`kinds`; empty: all"
    ),
    WebhookEvent.MESSAGES_FINAL: SentEvent(
        WebhookEvent.MESSAGES_FINAL,
        "Up to 500 messages have reached a final state.",
        "`states`; `filter`: those filters of the list of messages that compare a column with a value, such"
        " as"
        " `service_name`",
    ),
}
