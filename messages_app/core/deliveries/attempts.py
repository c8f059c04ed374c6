"""
The attempts to send a row: up to eight, with pauses that double.

A sender commits that it takes a row before it sends it, so two senders never send the same row at the same
time. A sender that is killed after it sent a row and before it recorded that sends it again; the id of the
webhook shows the receiver that it is a repeat.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import models
from django.db.models.functions import Now

from messages_app.core.deliveries.causes import describe_mail_failure
from messages_app.core.deliveries.ssrf_guard import RefusedAddress
from messages_app.core.deliveries.webhook_calls import NotDelivered

MAX_ATTEMPTS = 8
# The seconds to the second attempt, and the most rows that one statement takes.
TAKING = {"pause": 30, "most": 20}
_MAX_ERROR = 300


class SentRow(models.Model):
    """A row that is sent at least once, or given up."""

    attempts = models.IntegerField(default=0, db_default=0)
    # The time of the next attempt; NULL: it was sent, or given up.
    next_at = models.DateTimeField(null=True, db_default=Now())
    sent_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=_MAX_ERROR, blank=True, default="", db_default="")

    class Meta:
        abstract = True


@dataclass(frozen=True, kw_only=True)
class Failure:
    """
    Why an attempt failed, in words.

    Args:
        pause: the seconds for which the receiver asks not to be called again.
    """

    words: str
    pause: int = 0


def attempt_to_send(send: Callable[[], None]) -> Failure | None:
    """Make one attempt. Return why it failed; None: it did not."""
    try:
        send()
    except OSError as error:
        return Failure(words=describe_mail_failure(error)[:_MAX_ERROR])
    except NotDelivered as error:
        return Failure(words=str(error)[:_MAX_ERROR], pause=error.pause)
    # ValueError: a header that cannot be written.
    except (RefusedAddress, ValueError) as error:
        return Failure(words=str(error)[:_MAX_ERROR])
    return None
