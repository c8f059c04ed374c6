"""The strip that leads a new reader: see what broke, open one, repair it. Source: consoles.md (d)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser

from messages_app.first_page.models import FirstPageVisit
from messages_app.messages.failing.queries import samples
from messages_app.messages.failing.states import PRESSING_STATES


@dataclass(frozen=True, kw_only=True)
class Guide:
    """
    Where the strip leads.

    Args:
        group: as the tile of groups has it.
        msg_id: its newest message, None where none is known any more.
    """

    group: Mapping[str, object]
    msg_id: int | None


def guide_for(user: AbstractBaseUser, groups: Iterable[Mapping[str, object]]) -> Guide | None:
    """Return the strip for a reader; None who has put it away, and where nothing presses."""
    if FirstPageVisit.objects.filter(pk=user.pk, guided_at__isnull=False).exists():
        return None
    group = next((one for one in groups if one["state"] in PRESSING_STATES), None)
    if group is None:
        return None
    return Guide(group=group, msg_id=next(iter(samples(group["group_id"])), None))
