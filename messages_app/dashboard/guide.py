"""
The guide for new users: see what failed, open one message, repair it.

Source: docs/contributing/spec/design.md, "First page".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.contrib.auth.models import User

from messages_app.dashboard.models import FirstPageVisit
from messages_app.messages.failures.models import PRESSING_STATES
from messages_app.messages.metrics.failing import FailingNow


class PressingGroup(TypedDict):
    """A failure group of the tile, with the fields that the guide needs."""

    group_id: int
    state: str
    failing_now: int


class Groups(TypedDict):
    """The content of the tile `groups`."""

    groups: Sequence[PressingGroup]


# The guide skips a group with fewer failing messages than this share of the largest one.
_MIN_SHARE = 0.25


@dataclass(frozen=True, kw_only=True)
class Guide:
    """
    The links of the guide.

    Args:
        group: the group from the tile.
        msg_id: the newest of its failing messages.
    """

    group: PressingGroup
    msg_id: int


def guide_for(user: User, groups: Iterable[PressingGroup], failing: FailingNow) -> Guide | None:
    """
    Return the guide for a user: to the most urgent group that no one has reviewed, without small ones.

    Return None if the user has closed the guide, or if there is no such group.

    Args:
        groups: most urgent first.
    """
    if FirstPageVisit.objects.filter(pk=user.pk, guided_at__isnull=False).exists():
        return None
    open_groups = [
        group for group in groups if group["state"] in PRESSING_STATES and group["group_id"] in failing.groups
    ]
    if not open_groups:
        return None
    least = max(group["failing_now"] for group in open_groups) * _MIN_SHARE
    group = next(group for group in open_groups if group["failing_now"] >= least)
    return Guide(group=group, msg_id=failing.groups[group["group_id"]].newest)
