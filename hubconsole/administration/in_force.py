"""The settings in force: their values without secrets, and where each comes from."""

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from hubconsole.administration.declared import SECTIONS
from hubconsole.administration.declared.record import Declared
from messages_app.core.formatting import EMPTY
from messages_app.message_store.settings import changed_settings


class Origin(StrEnum):
    """Where the value of a setting comes from."""

    ENVIRONMENT = "environment"
    CONSOLE = "monitor's page"
    FILE = "file in HUBCONSOLE_HOME"
    DEFAULT = "default"


@dataclass(frozen=True, kw_only=True)
class InForce:
    """A setting as it is in force in this process."""

    name: str
    value: str
    origin: Origin


def settings_in_force() -> Iterator[tuple[str, list[InForce]]]:
    """Yield the settings by heading."""
    changed = changed_settings()
    for section in SECTIONS:
        yield section.title, [_read_setting(each, changed) for each in section.settings]


def _read_setting(declared: Declared, changed: Collection[str]) -> InForce:
    return InForce(
        name=declared.name,
        value=_write_value(declared.read()),
        origin=_find_origin(declared, changed),
    )


def _find_origin(declared: Declared, changed: Collection[str]) -> Origin:
    if declared.limit in changed:
        return Origin.CONSOLE
    if os.environ.get(declared.name, "").strip():
        return Origin.ENVIRONMENT
    return Origin.FILE if declared.is_in_file else Origin.DEFAULT


def _write_value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}" if value < 1e6 else f"{value:.0f}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or EMPTY
    return str(value) or EMPTY
