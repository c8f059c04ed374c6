"""The metrics of /metrics, in their order. The reference of the manual is generated from this list."""

from messages_app.core.metric_families import Metric
from messages_app.core.request_times import REQUEST_TIMES

# More states are reported together as "other", because a hub may write any text as a state.
MAX_STATES = 50
# Services and systems with targets.
MAX_TARGETS = 200
PREFIX = "hubconsole_"
_STREAM = "howto/stream_the_audit_log"

FAILING = Metric(
    name="hubconsole_failing_messages",
    meaning="Live messages that are FAILED at this moment.",
    see="reference/overview#failing-now",
)
MESSAGES = Metric(
    name="hubconsole_messages",
    labels=("state",),
    meaning=(
        f"Live messages by state, except OK. The {MAX_STATES} most frequent states are reported, the rest as"
        " other."
    ),
)
OLDEST = Metric(
    name="hubconsole_oldest_message_age_seconds",
    labels=("state",),
    meaning="Time since the last change of the oldest message in a state.",
)
ROLLUP_AGE = Metric(
    name="hubconsole_rollup_age_seconds", meaning="Time since the last update of the stored counts."
)
JOBS = Metric(name="hubconsole_jobs", labels=("state",), meaning="Bulk jobs that have not ended.")
LEASE_OVERDUE = Metric(
    name="hubconsole_job_lease_overdue_seconds",
    meaning="Time since the lease of the most overdue job expired.",
)
ALERTS_OPEN = Metric(name="hubconsole_alerts_open", meaning="Open alerts.", see="reference/overview#alerts")
NOTICES_DUE = Metric(name="hubconsole_alert_notices_due", meaning="Notices of alerts that wait to be sent.")
FAILURE_GROUPS = Metric(
    name="hubconsole_failure_groups",
    labels=("state",),
    meaning="Groups of failures.",
    see="reference/failure_groups",
)
UNSEALED = Metric(
    name="hubconsole_audit_unsealed",
    meaning="Entries of the audit log that are not sealed yet, up to 10 001.",
)
UNSEALED_AGE = Metric(
    name="hubconsole_audit_unsealed_age_seconds",
    meaning="Age of the oldest entry of the audit log that is not sealed yet.",
)
STREAM_WAITING = Metric(
    name="hubconsole_audit_stream_waiting_seals",
    meaning="With a stream of the audit log: seals whose entries are not sent yet.",
    see=_STREAM,
)
STREAM_FAILING = Metric(
    name="hubconsole_audit_stream_failing_seconds",
    meaning="With a stream of the audit log: time for which the receiver has taken no entries.",
    see=_STREAM,
)
TARGETS_MISSED = Metric(
    name="hubconsole_targets_missed",
    labels=("kind", "name"),
    meaning=f"Targets that are missed today (UTC), of up to {MAX_TARGETS} services and systems with targets.",
    see="how_it_works/calls#targets",
)
QUEUE_LENGTH = Metric(
    name="hubconsole_queue_length",
    labels=("queue",),
    meaning="Tasks that wait for a worker (Redis or Valkey).",
)

METRICS = (
    FAILING,
    MESSAGES,
    OLDEST,
    ROLLUP_AGE,
    JOBS,
    LEASE_OVERDUE,
    ALERTS_OPEN,
    FAILURE_GROUPS,
    NOTICES_DUE,
    UNSEALED,
    UNSEALED_AGE,
    STREAM_WAITING,
    STREAM_FAILING,
    TARGETS_MISSED,
    QUEUE_LENGTH,
    REQUEST_TIMES,
)
