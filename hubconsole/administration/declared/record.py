"""How a setting is declared: its name, what reads the value in force, and its text in the manual."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from hubconsole.environment import MASKED, mask_address
from messages_app.message_store.settings import current_limits


@dataclass(frozen=True, kw_only=True)
class Declared:
    """
    A setting. Texts are Markdown for a page in docs/reference.

    Args:
        name: the environment variable.
        read: returns the value in force, without secrets.
        meaning: its purpose or unit.
        default: the value if the variable is not set, in words. Empty: the default that its reader notes.
        values: the valid values. Empty: the values that its reader notes (hubconsole/readings.py).
        limit: the name among the settings that administrators may change on the monitor's page; empty: none.
        is_in_file: whether a file in HUBCONSOLE_HOME has the value if the environment has none.
    """

    name: str
    read: Callable[[], object]
    meaning: str
    default: str = ""
    values: str = ""
    limit: str = ""
    is_in_file: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    """
    The settings under one heading.

    Args:
        note: a paragraph before them, in Markdown; empty: none.
    """

    title: str
    settings: tuple[Declared, ...]
    note: str = ""


def declare_attribute(name: str, attribute: str, *, meaning: str, default: str = "") -> Declared:
    """Declare a setting whose value is in an attribute of Django's settings."""
    return Declared(name=name, read=lambda: getattr(settings, attribute), meaning=meaning, default=default)


def declare_secret(
    name: str, *, meaning: str, default: str = "", values: str = "", is_in_file: bool = False
) -> Declared:
    """Declare a secret: only whether it has a value is shown."""
    return Declared(
        name=name,
        read=lambda: MASKED if is_in_file or os.environ.get(name) else "",
        meaning=meaning,
        default=default,
        values=values,
        is_in_file=is_in_file,
    )


def declare_address(
    name: str, attribute: str = "", *, meaning: str, default: str = "", values: str = ""
) -> Declared:
    """Declare an address, which is shown without its secrets."""

    def read_address() -> str:
        text = os.environ.get(name) or (getattr(settings, attribute) if attribute else "")
        return mask_address(str(text))

    return Declared(name=name, read=read_address, meaning=meaning, default=default, values=values)


def declare_limit(name: str, limit: str, *, meaning: str) -> Declared:
    """Declare a setting of the message store's monitor, which administrators may change on its page."""
    return Declared(name=name, read=lambda: current_limits().values()[limit], meaning=meaning, limit=limit)


def declare_time(name: str, *, meaning: str, default: str) -> Declared:
    """Declare a time of the hub, which the console otherwise reads from an attached hub or assumes."""
    return Declared(name=name, read=lambda: getattr(settings, name) or "", meaning=meaning, default=default)


def declare_variable(name: str, *, meaning: str, default: str = "", values: str = "") -> Declared:
    """Declare a setting whose value is only in the environment."""
    return Declared(
        name=name, read=lambda: os.environ.get(name) or "", meaning=meaning, default=default, values=values
    )
