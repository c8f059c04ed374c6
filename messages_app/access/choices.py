"""How a person wants to see the console: the time zone of pages, the height of rows, the page after login."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo
from functools import cache, lru_cache
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import connection
from django.utils import timezone

from messages_app.core.store_functions import functions_of_stores

COMFORTABLE, COMPACT = "comfortable", "compact"
FIRST_PAGE = "/"


@dataclass(frozen=True, kw_only=True)
class Choices:
    """
    The settings of a person, with the defaults.

    Args:
        time_zone: an IANA name; empty: the zone of the hub.
        density: the height of the rows of tables.
        start_page: the address of an entry of the menu.
        pins: the addresses of pinned objects, in the order in which they were pinned.
    """

    time_zone: str = ""
    density: str = COMFORTABLE
    start_page: str = FIRST_PAGE
    pins: Sequence[str] = ()

    @property
    def zone(self) -> tzinfo:
        return find_zone(self.time_zone) or find_zone(zone_of_hub()) or ZoneInfo("UTC")

    @property
    def is_compact(self) -> bool:
        return self.density == COMPACT


_DEFAULTS = Choices()


def choices_of(user: AbstractBaseUser | AnonymousUser) -> Choices:
    """Return the settings that were read with a user (backends.py), or the defaults."""
    choices: Choices = getattr(user, "choices", _DEFAULTS)
    return choices


def in_zone_of(user: AbstractBaseUser | AnonymousUser) -> AbstractContextManager[None]:
    """Write the times of a page in the zone of its user, and read times without a zone in it."""
    return timezone.override(choices_of(user).zone)


@lru_cache(maxsize=256)  # users type names, too
def find_zone(name: str) -> tzinfo | None:
    """Return the zone with an IANA name; None for other texts."""
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError):
        return None


def zone_of_hub() -> str:
    """Return the IANA name of the zone of the hub's own times."""
    return _read_zone_of_hub(str(connection.settings_dict["NAME"]))


# A process reads it once; an attachment with another zone needs a restart anyway.
@cache
def _read_zone_of_hub(database: str) -> str:
    return next((read() for functions in functions_of_stores() if (read := functions.time_zone)), "UTC")
