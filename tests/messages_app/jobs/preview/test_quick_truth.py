"""
For any content of the hub, a number of a preview is within a tenth of the truth, or it has bounds.

SQL statements of this test count the truth. Hubs are random, from a seed in the name of the test.
"""

import random
import time
from types import SimpleNamespace

import pytest
from django.db import connection

from messages_app.jobs.preview.quick import preview_job
from messages_app.messages.models import Message
from tests.messages_app.jobs.preview.hubs import Hub, fill, hub_by_chance
from tests.messages_app.jobs.requested import request_of

pytestmark = pytest.mark.django_db

# More pages than a sample has, so that the preview cannot read all rows.
MESSAGES, FILLER = 120_000, 350
MILLION = 1_000_000
# Two seconds, and a margin for concurrent runs.
MAX_SECONDS = 4.0

IS_FINAL = "state IN ('OK', 'FAILED', 'CANCEL')"
AGE = "coalesce(last_process_timestamp, receive_timestamp)"
LIMIT = "now() - make_interval(months => %(months)s)"

COUNTED = "SELECT count(*) FROM message WHERE {}"
# Families are moved completely, with members that do not match the filter, so the set includes ripe members.
ARCHIVED = f"""
SELECT coalesce(sum(ripe), 0), coalesce(sum(ripe) FILTER (WHERE ripe = members), 0)
  FROM (SELECT count(*) AS members, count(*) FILTER (WHERE {IS_FINAL} AND {AGE} < {LIMIT}) AS ripe,
               count(*) FILTER (WHERE {IS_FINAL} AND {AGE} < {LIMIT} AND {{}}) AS chosen
          FROM message GROUP BY coalesce(parent_msg_id, msg_id)) AS family
 WHERE chosen > 0
"""


ARCHIVE = """
WITH moved AS (DELETE FROM message WHERE service_name = %(service)s RETURNING *)
INSERT INTO archive_message ({names}) SELECT {names} FROM moved
"""


def numbers(sql: str, **values: object) -> tuple[int, ...]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return tuple(map(int, cursor.fetchone()))


def timed_preview(kind: str, filter: dict[str, object], **options: object) -> SimpleNamespace:
    began = time.monotonic()
    found = SimpleNamespace(**preview_job(request_of(kind, filter, **options)))
    took = time.monotonic() - began
    assert took < MAX_SECONDS, f"{kind} {filter} {options} took {took:.1f} s"
    return found


def check(truth: int, about: int, between: tuple[int, int], *, what: str) -> None:
    least, most = between
    assert least <= truth <= most, f"{what}: {truth} is not between {least} and {most}"
    is_one_number = least >= about * 0.91 and most <= about * 1.1
    assert not is_one_number or abs(about - truth) <= 0.1 * truth, f"{what}: {about}, in truth {truth}"


def check_archive(filter: dict[str, object], where: str, months: int) -> None:
    found = timed_preview("archive", filter, older_than_months=months)
    planned, to_do = numbers(ARCHIVED.format(where), months=months)
    young = numbers(COUNTED.format(f"{IS_FINAL} AND {AGE} >= {LIMIT} AND {where}"), months=months)[0]
    check(planned, found.planned, found.planned_between, what=f"planned after {months} months")
    check(to_do, found.to_do, found.to_do_between, what=f"archived after {months} months")
    if found.kept["not_old_enough"] is not None:
        kept = found.kept["not_old_enough"], found.kept_between["not_old_enough"]
        check(young, *kept, what=f"too young for {months} months")


def check_change(kind: str, filter: dict[str, object], where: str, allowed: str) -> None:
    found = timed_preview(kind, filter)
    planned = numbers(COUNTED.format(where))[0]
    to_do = numbers(COUNTED.format(f"{where} AND state IN ({allowed})"))[0]
    check(planned, found.planned, found.planned_between, what=f"{kind} {filter}")
    check(to_do, found.to_do, found.to_do_between, what=f"{kind} {filter}, to do")


def check_restore(service: str) -> None:
    names = ", ".join(field.column for field in Message._meta.concrete_fields)
    with connection.cursor() as cursor:
        cursor.execute(ARCHIVE.format(names=names), {"service": service})
        moved = cursor.rowcount
    found = timed_preview("restore", {"service_name": service})
    check(moved, found.planned, found.planned_between, what="restore")
    check(moved, found.to_do, found.to_do_between, what="restore, to do")


def check_all(hub: Hub, chance: random.Random) -> None:
    for months in sorted(chance.sample(range(1, 13), 3)):
        check_archive({}, "true", months)
    service = f"service-{chance.randrange(10)}"
    check_archive({"service_name": service}, f"service_name = '{service}'", chance.randrange(1, 13))
    by_service = ({"service_name": service}, f"service_name = '{service}'")
    check_change("restart", *by_service, "'FAILED', 'CANCEL'")
    check_change("restart", {"state": "FAILED"}, "state = 'FAILED'", "'FAILED'")
    both = (
        {"source_system": "ERP", "service_name": service},
        f"source_system = 'ERP' AND service_name = '{service}'",
    )
    check_change("restart", *both, "'FAILED', 'CANCEL'")
    open_ones = "'NEW', 'PARTLY_FAILED', 'POSTPONED'"
    check_change("cancel", {"source_system": "CRM"}, "source_system = 'CRM'", open_ones)
    check_change("export", *by_service, "'OK', 'FAILED', 'CANCEL', 'NEW', 'WAITING', 'PROCESSING'")
    check_change("group_failures", {}, "state = 'FAILED'", "'FAILED'")
    check_restore(service)


def check_hub(seed: int, *, messages: int, filler: int | None) -> None:
    chance = random.Random(seed)  # noqa: S311
    hub = hub_by_chance(chance)
    with connection.cursor() as cursor:
        fill(cursor, hub, messages=messages, filler=filler)
    check_all(hub, chance)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_previews_are_correct_for_any_hub(seed):
    check_hub(seed, messages=MESSAGES, filler=FILLER)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 116))
def test_previews_are_correct_for_a_million_messages_of_any_kind(seed):
    check_hub(seed, messages=MILLION, filler=None)
