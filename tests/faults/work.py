"""The work of jobs in fault tests: families of two, with calls, requests, responses and funnel values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import connection

from messages_app.jobs.models import Job
from messages_app.jobs.services.create import create_job
from messages_app.shared.job_states import JobKind
from spark_tasks.failpoints import Step
from tests.support.jobs import ANA
from tests.support.oracle import KEYS
from tests.support.workers import make_old_messages

MESSAGES = 2_400

OF_THE_PLAN = (
    Step.CLAIMED,
    Step.CLEARING,
    Step.PART_BEGUN,
    Step.PART_WRITTEN,
    Step.PART_COMMITTED,
    Step.PLANNED,
)
OF_A_SLICE = (Step.SLICE_BEGUN, Step.SLICE_LOCKED, Step.SLICE_ACTED, Step.SLICE_BOOKED, Step.SLICE_COMMITTED)
OF_A_FILE = (Step.FILE_WRITTEN, Step.FILE_NAMED)
OF_THE_END = (Step.WORKED_OFF, Step.ENDING, Step.ENDED)


@dataclass(frozen=True, kw_only=True)
class Work:
    """
    One way of using the engine.

    Args:
        state: of the messages that the job finds.
        is_archived: whether it finds them in the archive tables.
        has_families: whether some messages have a parent.
        steps: the steps at which faults are tried. Steps that all kinds share are tried with one of them.
    """

    kind: JobKind
    steps: tuple[Step, ...]
    state: str = "OK"
    filter: Mapping[str, object] = field(default_factory=lambda: {"service_name": "billing"})
    options: Mapping[str, object] = field(default_factory=dict)
    is_archived: bool = False
    has_families: bool = True


WORKS = {
    "archive": Work(
        kind=JobKind.ARCHIVE,
        filter={},
        steps=(*OF_THE_PLAN, Step.QUEUED, Step.RUNNING, *OF_A_SLICE, *OF_THE_END),
    ),
    # A hub without parents: its plan is written inside the database.
    "archive-singles": Work(
        kind=JobKind.ARCHIVE,
        filter={},
        has_families=False,
        steps=(Step.PART_BEGUN, Step.PART_WRITTEN, Step.PART_COMMITTED),
    ),
    "archive-parquet": Work(
        kind=JobKind.ARCHIVE, filter={}, options={"to": "parquet"}, steps=(*OF_A_FILE, *OF_A_SLICE[2:])
    ),
    "restore": Work(kind=JobKind.RESTORE, is_archived=True, steps=OF_A_SLICE[2:]),
    # Paced, so that a chunk is done in several slices.
    "restart": Work(
        kind=JobKind.RESTART, state="FAILED", options={"rate": 1500}, steps=(*OF_A_SLICE, Step.WORKED_OFF)
    ),
    "cancel": Work(
        kind=JobKind.CANCEL,
        state="POSTPONED",
        options={"rate": 1500},
        steps=(Step.SLICE_BOOKED, Step.SLICE_COMMITTED),
    ),
    "index-keys": Work(kind=JobKind.INDEX_KEYS, filter={}, steps=OF_A_SLICE[2:]),
    "export": Work(kind=JobKind.EXPORT, options={"format": "csv"}, steps=(*OF_A_FILE, Step.ENDING)),
}

_MORE = """
UPDATE message SET state = %(state)s, failed_count = 3;
UPDATE message AS child SET parent_msg_id = parent.msg_id
  FROM message AS parent
 WHERE %(has_families)s AND child.msg_id %% 3 = 0 AND parent.msg_id = child.msg_id - 1;
INSERT INTO external_call (msg_id, operation_name, state, entity_id, msg_timestamp, creation_timestamp,
                           last_update_timestamp, failed_count)
SELECT msg_id, CASE WHEN msg_id %% 2 = 0 THEN 'confirmation' ELSE 'direct:billing' END, 'OK',
       'entity-' || msg_id, receive_timestamp, receive_timestamp, receive_timestamp, 0
  FROM message WHERE msg_id %% 4 < 2;
INSERT INTO funnel (msg_id, funnel_value)
SELECT msg_id, 'customer-' || msg_id FROM message WHERE msg_id %% 5 = 0;
ANALYZE message, external_call, funnel
"""


def make_rows(work: Work, messages: int = MESSAGES) -> None:
    """Store messages for this work."""
    make_old_messages(messages)
    with connection.cursor() as cursor:
        cursor.execute(_MORE, {"state": work.state, "has_families": work.has_families})
        if work.is_archived:
            for table in ("response", "request", "external_call", "funnel", "message"):
                cursor.execute(f"INSERT INTO archive_{table} SELECT * FROM {table}; DELETE FROM {table}")
            cursor.execute(f"ANALYZE {', '.join(f'archive_{table}' for table in KEYS)}")


def new_job(work: Work) -> Job:
    return create_job(
        kind=work.kind,
        filter=work.filter,
        options=work.options,
        dry_run=False,
        reason="a fault test",
        actor=ANA,
        user=None,
    )
