"""The events that webhooks are called for."""

from enum import StrEnum


class WebhookEvent(StrEnum):
    JOB_ENDED = "job_ended"
    MESSAGES_FINAL = "messages_final"
