"""The page of the settings, from their declared list, and from how the code reads each of them."""

from hubconsole.administration.declared import SECTIONS
from hubconsole.administration.declared.record import Declared, Section
from hubconsole.readings import READINGS, Reading
from tests.support.reference.markdown import write_page, write_paragraph, write_table

_INTRODUCTION = (
    "All settings are environment variables. Without any, everything is embedded under `HUBCONSOLE_HOME`. If"
    " a required setting is missing, or a value is not valid, the start fails with a line that names it."
    " **Settings and health** in the menu shows administrators the value of each in the web process without"
    " secrets, where it comes from, and live what `doctor` checks."
)
_ON_PAGE = "; the monitor's page can change it for all processes"


def write_settings() -> str:
    """Return the page of the settings."""
    return write_page(
        "Settings",
        write_paragraph(_INTRODUCTION),
        *(part for section in SECTIONS for part in _write_section(section)),
    )


def _write_section(section: Section) -> list[str]:
    table = write_table(("name", "default", "meaning"), [_describe_setting(one) for one in section.settings])
    return [f"## {section.title}", *([section.note] if section.note else []), table]


def _describe_setting(one: Declared) -> tuple[str, str, str]:
    reading = READINGS.get(one.name, Reading("", ""))
    values, default = one.values or reading.values, one.default or reading.default
    assert values, f"{one.name}: neither its declaration nor its reader names its values"
    meaning = one.meaning + (_ON_PAGE if one.limit else "")
    # A column of its own would leave little room for the meaning.
    return f"`{one.name}`", default or "none", f"{meaning}. Values: {values}."
