"""The strip that leads a new reader: see what broke, open one, repair it. Source: consoles.md (d)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser

from messages_app.first_page.models import FirstPageVisit
from messages_app.messages.failing.queries import still_failing
from messages_app.messages.failing.states import PRESSING_STATES


@dataclass(frozen=True, kw_only=True)
class Guide:
    """
    Where the strip leads.

    Args:
        group: as the tile of groups has it.
        still_failing: how many of its newest messages are FAILED now.
        msg_id: the newest of these.
    """

    group: Mapping[str, object]
    still_failing: int
    msg_id: int


def guide_for(user: AbstractBaseUser, groups: Iterable[Mapping[str, object]]) -> Guide | None:
    """
    Return the strip for a reader; None who has put it away, and where nothing presses.

    Args:
        groups: the one that presses most first; one whose messages have been repaired is passed by.
    """
    if FirstPageVisit.objects.filter(pk=user.pk, guided_at__isnull=False).exists():
        return None
    for group in groups:
        if group["state"] not in PRESSING_STATES or not group["failing_now"]:
            continue
        count, newest = still_failing(group["group_id"])
        if count:
            return Guide(group=group, still_failing=count, msg_id=newest)
    return None
