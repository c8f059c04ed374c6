"""Every query of previews and of pages about jobs, on 240 000 messages: each is read by an index."""

import math
import re
import time
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.test import Client

from benchmarks.filling import IDS_PER_MESSAGE
from messages_app.jobs.preview import samples
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.quick import preview_job
from messages_app.messages.models import Message
from messages_app.shared import corrections
from messages_app.shared.message_states import RULE_SETS
from messages_app.shared.sql_files import SqlFiles
from tests.messages_app.jobs.requested import request_of
from tests.support.ledgers import store_large_ledger
from tests.support.many_messages import (
    LARGE_PARENT,
    MESSAGES,
    check,
    forget_planned,
    many_messages,
    undone_change,
)
from tests.support.parameters import quick_first
from tests.support.plans import faults_of, reads_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]

# A quick preview's two seconds, and room for other runs next to it.
MAX_SECONDS = 4
# Reads of a quick preview that may be useless, with a time limit: random pages, a count, and a small set.
FENCED = re.compile(r"TABLESAMPLE|^SELECT COUNT\(\*\)|LIMIT (50001|1000)$")

# The two groups failed a moment ago, and the job that had all messages came after them.
FAILED_NOW = """
INSERT INTO failure_group (group_id, fingerprint, service_name, operation_name, failed_error_code, summary,
                           example, failures, first_seen, last_seen, state, state_at, owner, ticket, note)
SELECT n, n::text, 'billing', 'op', '', 'timed out', '', 1, now(), now(), 'new', now(), '', '', ''
  FROM generate_series(1, 2) AS n;
UPDATE job SET finished_at = now(), state = 'done', filter = '{"failure_group": "1"}', watermark = now()
 WHERE job_id = %(job_id)s;
UPDATE failure_member SET at = now() - interval '1 hour' WHERE group_id = 1;
INSERT INTO audit_entry (actor, token_name, request_id, action, outcome, msg_id, before_state, after_state,
                         reason, details)
SELECT 'ana', '', '', 'restart', 'done', n, '', '', '', '{}' FROM generate_series(1, 100000) AS n;
ANALYZE failure_group, job, failure_member, audit_entry;
"""
# Bulk jobs: (kind, filter, options).
PREVIEWS = (
    ("restart", {"state": "FAILED"}, {}),
    ("restart", {"state": "OK"}, {}),
    ("restart", {"service_name": "billing"}, {"total": True}),
    ("restart", {"service_name": "billing", "state": "FAILED"}, {}),
    ("cancel", {"state": "POSTPONED,PARTLY_FAILED,WAITING"}, {"rate": 50}),
    ("restart", {"receive_timestamp_from": "2000-01-01T00:00:00Z"}, {}),
    ("restart", {"last_process_timestamp_from": "2000-01-01T00:00:00Z", "service_name": "legacy"}, {}),
    ("restart", {"correlation_id": "no-such-id"}, {}),
    ("restart", {"funnel_value": "hot"}, {}),
    ("restart", {"family": "failed"}, {}),
    ("restart", {"failure_group": "1", "state": "FAILED"}, {}),
    ("restart", {"failure_group": "2", "state": "PARTLY_FAILED"}, {}),
    ("export", {"parent_msg_id": str(LARGE_PARENT)}, {}),
    ("export", {"archived": "true", "state": "OK"}, {}),
    ("export", {"archived": "any", "service_name": "billing"}, {}),
    ("restore", {"service_name": "billing"}, {}),
    ("resend", {"state": "FAILED"}, {"find": "a", "replace": "b"}),
    ("archive", {}, {"older_than_months": 1}),
    ("archive", {"state": "OK", "service_name": "billing"}, {"older_than_months": 1}),
)


@pytest.fixture(scope="module")
def many(django_db_setup, django_db_blocker) -> Iterator[Client]:
    with many_messages(django_db_blocker) as client:
        yield client


def queries_of_preview(kind: str, filter: dict[str, str], options: dict[str, object]) -> list[tuple]:
    """Return what a quick preview sends to the database, after checking that it came in time."""
    sent = []
    began = time.monotonic()
    with connection.execute_wrapper(reads_of(sent)):
        preview_job(request_of(kind, filter, **options))
    assert sent
    assert time.monotonic() - began < MAX_SECONDS
    return sent


def check_preview(kind: str, filter: dict[str, str], options: dict[str, object]) -> None:
    """Check that the preview of a job reads by an index, or up to a fence."""
    sent = queries_of_preview(kind, filter, options)
    assert any(FENCED.search(sql) for sql, _ in sent)
    for sql, params in sent:
        faults = [] if FENCED.search(sql) else faults_of(sql, params)
        assert not faults, f"{kind} {filter}: {faults}\n{sql}\n{params}"


class TestQuickPreview:
    @pytest.mark.parametrize(("kind", "filter", "options"), PREVIEWS)
    def test_is_in_time_and_reads_by_an_index(self, many, kind, filter, options):
        check_preview(kind, filter, options)

    @pytest.mark.parametrize(
        ("kind", "filter", "options"), quick_first([pytest.param(*one) for one in PREVIEWS], quick=6)
    )
    def test_is_in_time_if_a_sample_has_too_few_rows(self, many, monkeypatch, kind, filter, options):
        monkeypatch.setattr(samples, "_ENOUGH", math.inf)
        check_preview(kind, filter, options)

    def test_of_an_archive_reads_few_old_messages_by_an_index(self, many):
        # A fence does not help: the whole table would be read in search of one message. On a busy machine a
        # sample may not come in two seconds, and the preview then also counts, with a fence.
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            preview_job(request_of("archive", {}, older_than_months=3), Deadline(60))
        unsampled = [(sql, params) for sql, params in sent if "TABLESAMPLE" not in sql]
        assert len(unsampled) > 1
        assert [fault for sql, params in unsampled for fault in faults_of(sql, params)] == []


@pytest.fixture(scope="module")
def ledger(many) -> int:
    """Store a job with every message and one with a tenth of them; return the id of the larger job."""
    last = MESSAGES * IDS_PER_MESSAGE
    forget_planned()
    return [store_large_ledger(last=each) for each in (last // 10, last)][1]


# As if most messages had been resent before.
RESENT = """
INSERT INTO resent_message (original_id, msg_id, job_id, resent_at)
SELECT -msg_id, -msg_id - 1, 1, now() FROM message;
ANALYZE resent_message;
"""


def faults_undone(sql: str, values: dict[str, object]) -> list[str]:
    """Return what is wrong with the plan of a statement that writes, without what it has written."""
    with transaction.atomic():
        faults = faults_of(sql, values)
        transaction.set_rollback(True)
    return faults


class TestResends:
    def test_read_and_write_each_slice_by_keys(self, many):
        ids = list(Message.objects.filter(state="FAILED").order_by("pk").values_list("pk", flat=True)[:200])
        rules, of_tasks, shared = RULE_SETS["cleverbus"], SqlFiles("spark_tasks"), corrections.statements
        frozen = {"ids": ids, "states": ["FAILED"] * len(ids), "allowed": ["FAILED"], "most": 1_000_000}
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(RESENT)
            faults = [
                fault
                for name in ("payload_sizes", "lock_payloads", "payloads_to_correct")
                for fault in faults_of(of_tasks.read_text(name), frozen)
            ]
            faults += faults_undone(
                shared.read_text("link_resent_messages"), {**frozen, "of_job": True, "job_id": 2}
            )
            links = corrections.link_messages(cursor, dict.fromkeys(ids, "FAILED"), rules=rules, job_id=2)
            assert len(links) == len(ids)
            text = shared.read_text("insert_resent_messages")
            for mark, name in corrections._OWN.items():
                text = text.replace(mark, name)
            new = {
                "ids": ids,
                "new_ids": [-link.msg_id for link in links],
                "payloads": ["b"] * len(ids),
                "to_state": "POSTPONED",
                "zone": None,
            }
            faults += faults_of(text, new) + faults_of(shared.read_text("copy_funnel_values"), new)
            transaction.set_rollback(True)
        assert not faults

    def test_have_the_links_of_their_ledger_by_a_key(self, many, ledger):
        with undone_change() as cursor:
            cursor.execute(RESENT)
            cursor.execute("UPDATE job SET kind = 'resend' WHERE job_id = %s", [ledger])
            check(many, f"/jobs/{ledger}/")
            check(many, f"/api/v1/jobs/{ledger}/items/?outcome=done")


class TestJobs:
    @pytest.mark.parametrize(
        "query",
        [
            "",
            "outcome=done",
            "outcome=skipped",
            "outcome=failed",
            "outcome=failed:too_slow",
            "now=failed",
            "now=under_way",
            "now=archived",
            f"msg_id={LARGE_PARENT}",
        ],
    )
    def test_of_many_have_their_ledger_by_an_index(self, many, ledger, query):
        address = f"/jobs/{ledger}/?{query}"
        check(many, address)
        page = many.get(address).context["ledger"].page
        if page and page.next_cursor:
            check(many, f"{address}&cursor={page.next_cursor}")
        if "msg_id" not in query and "now" not in query:
            check(many, f"/api/v1/jobs/{ledger}/items/?{query}")

    @pytest.mark.parametrize("part", ["progress/", "since/", "ledger/?outcome=failed", "ledger/?now=ok"])
    def test_of_many_have_their_parts_by_an_index(self, many, ledger, part):
        check(many, f"/jobs/{ledger}/{part}")

    def test_of_one_message_are_found_by_an_index(self, many, ledger):
        check(many, f"/jobs/of-message/{LARGE_PARENT}/")

    def test_that_repaired_failures_are_reported_by_an_index(self, many, ledger):
        with undone_change() as cursor:
            cursor.execute(FAILED_NOW, {"job_id": ledger})
            found = many.get("/handover/").context["found"]
            assert [repair.job.pk for repair in found.repairs] == [ledger]
            assert {one.group.pk for one in [*found.repaired, *found.open_groups]} == {1, 2}
            assert not found.by_hand.is_whole
            for address in ("/handover/", "/failures/1/", "/failures/2/", "/jobs/of-failure-group/1/"):
                check(many, address)

    @pytest.mark.parametrize("query", ["", "mine=true", "kind=archive&state=failed"])
    def test_are_listed_by_an_index(self, many, ledger, query):
        check(many, f"/jobs/?{query}")
        check(many, "/archive/")
