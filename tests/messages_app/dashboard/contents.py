"""Contents of the tiles of the first page in which no two numbers are equal."""

from datetime import UTC, datetime, timedelta

from django.template.loader import render_to_string

from messages_app.core.stores import StoreTile
from messages_app.dashboard.flow_chart import draw_flow
from messages_app.dashboard.tiles import Tile, store_tiles
from messages_app.messages.first_steps import FirstSteps
from tests.support.page_outlines import outline_of

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
# Of each tile, the time at which it was read: no two are equal.
READ = {
    name: NOON + timedelta(minutes=minute)
    for minute, name in enumerate(
        (
            *("failing", "waiting", "oldest", "throughput", "alerts", "incidents", "groups", "flow"),
            *("systems", "jobs", "cp_queue", "documents", "store"),
        )
    )
}
STEPS = FirstSteps(has_messages=True, is_attached=False, loading=None, builds_counts=False, is_late=False)


def moment(minute: int) -> datetime:
    return NOON - timedelta(days=1) + timedelta(minutes=minute)


GROUP = {
    "group_id": 31,
    "service_name": "billing",
    "failed_error_code": "E103",
    "title": "Timed out",
    "state": "new",
    "last_seen": moment(1),
    "failing_now": 41,
    "is_settled": False,
    "hour": 42,
    "hours_3": 43,
    "day": 44,
    "days_7": 45,
}
INCIDENT = {
    "incident_id": 32,
    "title": "Connection refused by pay.example",
    "external_system": "pay.example",
    "services": ["billing", "order"],
    "owner": "",
    "began_at": moment(11),
    "last_failure_at": moment(12),
    "failing_now": 33,
    "rate": {"last_hour": 34, "trend": "rising"},
    "is_pressing": True,
    "failing_messages": 33,
    "is_repaired": False,
}
NO_INCIDENTS = {"open": 0, "ungrouped": 0, "last_closed_at": None, "incidents": []}
FLOW = {
    "start": moment(0),
    "end": moment(60),
    "slice_seconds": 600,
    "slices": [
        {"at": moment(0), "state": "OK", "count": 61},
        {"at": moment(0), "state": "FAILED", "count": 62},
        {"at": moment(20), "state": "PARTLY_FAILED", "count": 63},
        {"at": moment(20), "state": "OK", "count": 64},
    ],
    "week_before": [{"at": moment(0), "count": 30.0}, {"at": moment(10), "count": 0.0}],
    "jobs": [
        {
            "job_id": 65,
            "kind": "restart",
            "state": "done",
            "started_at": moment(30),
            "finished_at": moment(40),
        }
    ],
}
CONTENTS = {
    "failing": {
        "failing_now": 11,
        "as_of": moment(2),
        "hour_ago": 12,
        "last_hour": 13,
        "hour_before": 14,
        "retrying": 15,
    },
    "waiting": {"count": 16, "by_state": {"WAITING": 16}, "hour_ago": 17, "longer_than_seconds": 900.0},
    "oldest": {"state": "POSTPONED", "since": moment(3), "seconds": 1_900, "seconds_hour_ago": 1_080},
    "throughput": {"per_minute": 2.5, "per_minute_before": 3.5},
    "alerts": {
        "alerts": [
            {
                "alert_id": 21,
                "rule_id": 22,
                "rule": "Too many",
                "measure": "failure_rate",
                "notifies": False,
                "opened_at": moment(4),
                "holds_since": moment(5),
                "value": 0.23,
            }
        ]
    },
    "incidents": {"open": 35, "ungrouped": 36, "last_closed_at": None, "incidents": [INCIDENT]},
    "groups": {"groups": [GROUP], "is_exact": True, "ungrouped": 46},
    "flow": FLOW,
    "systems": {
        "looked_at": 81,
        "most_counted": 90,
        "systems": [
            {
                "name": "crm.example",
                "calls": {"PROCESSING": 82, "FAILED": 91},
                "responses": 183,
                "failed": 84,
                "p95_seconds": 8.5,
                "health": "failing",
            },
            {
                "name": "erp.example",
                "calls": {"PROCESSING": 82, "FAILED": 91},
                "responses": 0,
                "failed": 0,
                "p95_seconds": None,
                "health": "unknown",
            },
        ],
    },
    "jobs": {
        "jobs": [
            {
                "job_id": 101,
                "kind": "restart",
                "state": "running",
                "paused_for": "",
                "created_by": "ana",
                "created_at": moment(8),
            },
            {
                "job_id": 102,
                "kind": "cancel",
                "state": "paused",
                "paused_for": "breaker",
                "created_by": "ben",
                "created_at": moment(9),
            },
        ]
    },
    "cp_queue": {
        "is_exact": True,
        "ready": 121,
        "reserved": 122,
        "deferred": 123,
        "parked": 124,
        "queues": [{"name": f"Q{number}", "oldest_created": moment(number)} for number in (12, 13, 14, 15)],
        "dead_services": ["W1", "W2"],
    },
    "documents": {
        "open_doubts": 131,
        "most_counted": 140,
        "suspended": 132,
        "duplicates": 141,
        "oldest_undetermined": moment(16),
    },
    "store": {
        "by_class": {"error": 151, "waiting": 152, "in_work": 153, "done": 154},
        "oldest_due": moment(17),
    },
}


def tiles_of(contents: dict[str, dict | None], *, fault: str = "") -> dict[str, Tile]:
    return {
        name: Tile(name=name, read_at=READ[name], content=content, fault=fault, query=f"tile={name}")
        for name, content in contents.items()
    }


def show(contents: dict[str, dict | None], *, fault: str = "", **context: object) -> str:
    """Return the markup of the tiles with these contents."""
    shown = tiles_of(contents, fault=fault)
    flow = contents.get("flow")
    stores: list[StoreTile] = store_tiles()
    return render_to_string(
        "messages_app/dashboard/_overview.html",
        {
            "tiles": shown,
            "store_tiles": [(shown[tile.name], tile.template) for tile in stores if tile.name in shown],
            "flow": flow and draw_flow(flow),
            "window": "3h",
            "window_words": "3 h",
            "counted_at": None,
            "first_steps": STEPS,
            "polling": None,
            "pressing_states": ["new", "regressed"],
            "guide": None,
            "may_restart": True,
            "may_take": True,
            "is_part": False,
        }
        | context,
    )


def show_lines(contents: dict[str, dict | None], **context: object) -> list[str]:
    return outline_of(show(contents, **context))
