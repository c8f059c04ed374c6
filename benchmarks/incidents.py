"""
Measure the pass that groups a storm of failures and gathers them into incidents.

Nine systems fail together. Half of the texts name the system; of the other messages the last request does.
Each system must be one incident. The second figure is the time from a failure until it is in its incident,
with the storm in the tables.
"""

import statistics as numbers
import time
from collections import Counter
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.databases import fill_template, fresh_copy
from benchmarks.filling import stop_triggers
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

_STATES = """
SELECT count(*), sum(failures), sum(affected), (SELECT count(*) FROM failure_member WHERE cell_id IS NOT NULL)
  FROM incident
"""
# The failures of each system by incident.
_PLACES = """
SELECT range.incident_id, cell.external_system, count(*)
  FROM failure_member AS member
  JOIN failure_cell AS cell USING (cell_id)
  LEFT JOIN incident_cell AS range
    ON range.cell_id = member.cell_id
   AND member.at >= range.first
   AND member.at < range.last + interval '1 minute'
 GROUP BY range.incident_id, cell.external_system
"""
SYSTEMS = 9
MIN_INSIDE, MAX_STRANGERS = 0.95, 0.02
_LATER = 100


def measure_storm(home: Path, *, messages: int, rounds: int) -> dict[str, float]:
    """Print the times, and return the failures of a second."""
    fill_template(home, partial(fill_storm, messages=messages))
    seconds, later = [], []
    for _ in range(rounds):
        url = fresh_copy(home)
        seconds.append(_group_storm(url, messages))
        later.append(_add_failures(url, messages))
    median = numbers.median(seconds)
    print(
        f"{messages} failures: {median:.1f} s ({min(seconds):.1f} to {max(seconds):.1f}), "
        f"{_LATER} later ones: {numbers.median(later):.2f} s"
    )
    return {"failures gathered in a second": messages / median}


def fill_storm(hub: psycopg.Cursor, *, messages: int) -> None:
    """Insert failures of the last hours that wait for their groups, and the requests of half of them."""
    triggers = stop_triggers(hub)
    values = {"messages": messages}
    for name in ("storm", "storm_requests", "storm_waiting", "storm_traffic"):
        hub.execute(statements.read_text(f"filling/{name}"), values)
    for one in triggers:
        hub.execute(one)


def _group_storm(url: str, messages: int) -> float:
    from messages_app.messages.failures.grouping import group_new_failures

    began = time.monotonic()
    grouped = group_new_failures()
    seconds = time.monotonic() - began
    with psycopg.connect(url) as hub:
        incidents, failures, affected, members = hub.execute(_STATES).fetchone() or (0, 0, 0, 0)
    print(f"{seconds:.1f} s: {incidents} incidents, {failures} failures, {affected} messages", flush=True)
    if grouped != messages or members != messages or failures != messages:
        raise SystemExit(f"{grouped} failures were grouped, {members} of {messages} have a cell.")
    if wrong := _list_wrong_systems(url):
        raise SystemExit(f"Not one incident each: {', '.join(wrong)}.")
    return seconds


def _list_wrong_systems(url: str) -> list[str]:
    """Return the systems whose failures are not in one incident, with few others in it."""
    with psycopg.connect(url) as hub:
        rows = hub.execute(_PLACES).fetchall()
    of_system, of_incident = Counter[str](), Counter[int | None]()
    largest: dict[str, tuple[int, int | None]] = {}
    for incident_id, system, count in rows:
        of_system[system] += count
        of_incident[incident_id] += count
        if incident_id is not None:
            largest[system] = max(largest.get(system, (0, None)), (count, incident_id))
    if len(of_system) != SYSTEMS:
        return [f"{len(of_system)} systems instead of {SYSTEMS}"]
    wrong = []
    for system, total in of_system.items():
        inside, incident_id = largest.get(system, (0, None))
        strangers = of_incident[incident_id] - inside
        if inside < MIN_INSIDE * total or strangers > MAX_STRANGERS * of_incident[incident_id]:
            wrong.append(system)
    return wrong


def _add_failures(url: str, messages: int) -> float:
    """Return the time in which a pass puts new failures into an incident."""
    from messages_app.messages.failures.grouping import group_new_failures

    with psycopg.connect(url, autocommit=True) as hub:
        hub.execute(statements.read_text("filling/storm_later"), {"messages": messages, "later": _LATER})
    began = time.monotonic()
    if group_new_failures() != _LATER:
        raise SystemExit("The later failures were not grouped.")
    return time.monotonic() - began
