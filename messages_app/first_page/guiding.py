"""The strip that leads a new reader: see what broke, open one, repair it. Source: consoles.md (d)."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser

from messages_app.first_page.models import FirstPageVisit
from messages_app.messages.failing.models import FailureGroup
from messages_app.messages.failing.queries import failing_groups, samples
from messages_app.messages.failing.states import PRESSING_STATES


@dataclass(frozen=True, kw_only=True)
class Guide:
    """
    Where the strip leads.

    Args:
        failures: of the group, in the last 7 days.
        msg_id: its newest message, None where none is known any more.
    """

    group: FailureGroup
    failures: int
    msg_id: int | None


def guide_for(user: AbstractBaseUser) -> Guide | None:
    """Return the strip for a reader; None who has put it away, and where nothing presses."""
    if FirstPageVisit.objects.filter(pk=user.pk, guided_at__isnull=False).exists():
        return None
    lines = [line for line in failing_groups(most=1) if line.group.state in PRESSING_STATES]
    if not lines:
        return None
    group = lines[0].group
    msg_id = next(iter(samples(group.pk)), None)
    return Guide(group=group, failures=lines[0].windows.days_7, msg_id=msg_id)
