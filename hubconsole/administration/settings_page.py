"""The page of the settings in force, and of the health of every part by the checks of `doctor`."""

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from time import monotonic

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from hubconsole import health
from hubconsole.administration.declared import SECTIONS
from hubconsole.administration.declared.record import Declared
from hubconsole.checks import database, servers
from messages_app.access import roles
from messages_app.access.decorators import PageViews
from messages_app.core.formatting import EMPTY
from messages_app.dashboard.setup import Step
from messages_app.message_store.settings import changed_settings

VIEWS = PageViews(roles.CAN_VIEW_SETTINGS)
_FOLDER = "messages_app/administration"
# Less than a request may take.
_DEADLINE = 10.0
_FRESH_SECONDS = 10.0
_TITLES = {
    "database": "Database",
    "migrations": "Migrations",
    "beat": "Scheduler (beat)",
    "clock": "Clock",
    "indexes": "Indexes",
    "gaps": "Recorded changes",
    "polling": "Polling of the hub",
    "attachment": "Attachment to the hub",
    "archive": "Archive by month",
    "audit": "Audit log",
    "rights": "Database permissions",
    "spark_role": "Database role of Spark",
    "broker": "Broker",
    "workers": "Workers",
    "spark": "Spark",
    "java": "Java",
    "disk": "Disk",
}
_lock = Lock()
_latest: dict[str, tuple[float, dict]] = {}


@dataclass(frozen=True, kw_only=True)
class PartLine:
    """
    The state of one part.

    Args:
        note: a hint about a part that works; may be empty.
        why, do: the fault and the remedy; empty if it works.
    """

    title: str
    is_fine: bool
    note: str = ""
    why: str = ""
    do: str = ""


@VIEWS.shows_page
def show_settings(request: HttpRequest) -> HttpResponse:
    """Show the settings. The health is loaded as a part, because its checks may take seconds."""
    sections = list(settings_in_force())
    changed = [line for _, lines in sections for line in lines if line.origin != Origin.DEFAULT]
    return render(request, f"{_FOLDER}/settings.html", {"sections": sections, "changed": changed})


@VIEWS.shows_page
def show_health(request: HttpRequest) -> HttpResponse:
    """Show the health of every part, as a part of the page or as a page of its own."""
    return _render_health(request)


def _render_health(request: HttpRequest) -> HttpResponse:
    lines = part_lines()
    context = {"lines": lines, "faults": sum(not line.is_fine for line in lines)}
    template = "_health" if "HX-Request" in request.headers else "health"
    return render(request, f"{_FOLDER}/{template}.html", context)


@VIEWS.shows_page
def show_health_step(request: HttpRequest) -> HttpResponse:
    """Show the last step of the setup checklist, loaded as a part as well; as a page, show all parts."""
    if "HX-Request" not in request.headers:
        return _render_health(request)
    faults = [line.title for line in part_lines() if not line.is_fine]
    step = Step(
        name="is_healthy",
        title="Every part works",
        why=f"Not yet: {', '.join(faults)}." if faults else "Checked as by the command doctor.",
        address=reverse("settings"),
        is_done=not faults,
    )
    return render(request, "messages_app/dashboard/_setup_step.html", {"step": step})


def part_lines() -> list[PartLine]:
    """Return the state of every part, the faulty ones first."""
    report = _latest_report()
    lines = [_line_of_part(name, part) for name, part in report.items() if name != "ok"]
    return sorted(lines, key=lambda line: (line.is_fine, not line.note))


def _line_of_part(name: str, part: dict) -> PartLine:
    title = _TITLES.get(name) or name.replace("_", " ").capitalize()
    return PartLine(
        title=title,
        is_fine=part["ok"],
        note=part.get("note", ""),
        why=part.get("why", ""),
        do=part.get("do", ""),
    )


def _latest_report() -> dict:
    """Return a report of the last ten seconds, so that several open pages do not load the parts."""
    with _lock:
        at, report = _latest.get("report", (0.0, {}))
        if not report or monotonic() - at > _FRESH_SECONDS:
            report = health.check_parts(
                deadline=_DEADLINE, parts=database.doctor_parts(), others=servers.PARTS
            )
            _latest["report"] = (monotonic(), report)
        return report


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
