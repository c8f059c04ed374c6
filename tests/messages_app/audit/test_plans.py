"""The list of a million entries, with each filter, and the page of an entry read only by indexes."""

import pytest
from django.db import connection

from messages_app.audit.coverage import coverage_of
from messages_app.audit.folding import folds_of
from messages_app.audit.models import AuditEntry
from messages_app.audit.selectors import entry_page, last_entry_about
from messages_app.core.filters.values import Parameter, parse_time
from tests.messages_app.audit.tampering import behind_its_back
from tests.support.plans import faults_in, reads_of

# A token writes most entries, and a job has thousands. One of each value is rare and old.
_FILL = """
INSERT INTO audit_entry (entry_id, at, actor, token_name, request_id, action, outcome, msg_id, job_id,
                         subject_kind, subject, before_state, after_state, reason, details)
SELECT n, timestamptz '2026-01-01 00:00Z' + make_interval(secs => 20 * n),
       CASE WHEN n = 5000 THEN 'grace' ELSE 'ada' END,
       CASE WHEN n = 5000 THEN 'nightly' WHEN n % 10 < 7 THEN 'loader' ELSE '' END,
       'r-' || n / 5,
       CASE WHEN n = 5000 THEN 'forget' WHEN n % 2 = 0 THEN 'restart' ELSE 'cancel' END,
       CASE WHEN n = 5000 THEN 'refused' ELSE 'done' END,
       n % 300000, CASE WHEN n % 10 = 9 THEN n / 50000 END,
       CASE WHEN n % 100 = 0 THEN 'watch_rule' ELSE '' END,
       CASE WHEN n % 100 = 0 THEN (n / 100 % 500)::text ELSE '' END,
       '', '', CASE WHEN n = 5000 THEN 'Bank is back (INC-4711)' ELSE 'automatic step ' || n % 1000 END, '{}'
  FROM generate_series(1, 1000000) AS n
"""
_SEALS = """
INSERT INTO audit_seal (seal_id, first_id, last_id, entries, digest, sealed_at)
SELECT n, n * 10 - 9, n * 10, 10, 'd', now() FROM generate_series(1, 100000) AS n
"""
_DAY = ("2026-01-02T03:00:00Z", "2026-01-02T04:00:00Z")
FILTERS = [
    {},
    {"actor": "grace"},
    {"actor": "ada"},
    {"token_name": "nightly"},
    {"action": "forget"},
    {"outcome": "refused"},
    {"outcome": "done"},
    {"msg_id": 5000},
    {"job_id": 0},
    {"subject_kind": "watch_rule", "subject": "50"},
    {"request_id": "r-1000"},
    {"reason_contains": "inc 4711"},
    {"reason_contains": "auto"},
    {"at_from": _DAY[0], "at_to": _DAY[1]},
    {"actor": "ada", "action": "restart", "at_to": _DAY[1]},
]


def read_values(values: dict[str, object]) -> dict[str, object]:
    times = {name: parse_time(values[name], Parameter(name)) for name in values if name.startswith("at_")}
    return values | times


@pytest.mark.slow
@pytest.mark.django_db
def test_reads_by_indexes():
    behind_its_back(_FILL)
    behind_its_back(_SEALS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE audit_entry, audit_seal")
    for values in FILTERS:
        for is_folded in (False, True):
            sent: list[tuple[str, tuple]] = []
            with connection.execute_wrapper(reads_of(sent)):
                page = entry_page(values=read_values(values), is_folded=is_folded)
                if is_folded:
                    folds_of(page.rows)
            assert page.rows, (values, is_folded)
            assert faults_in(sent) == [], (values, is_folded)
    sent = []
    with connection.execute_wrapper(reads_of(sent)):
        assert last_entry_about("watch_rule", "50", "restart").entry_id == 955_000
    assert faults_in(sent, most_rows=100) == []
    sent = []
    with connection.execute_wrapper(reads_of(sent)):
        coverage_of(AuditEntry(entry_id=500_000))
    assert faults_in(sent, most_rows=100) == []
