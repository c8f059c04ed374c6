"""The ledger of a large job with few done messages is read by an index, in bounded parts."""

from collections.abc import Iterator
from itertools import islice

import pytest
from django.db import connection

from messages_app.core.pagination.paginator import Page
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import item_page
from messages_app.jobs.views.detail.ledger import ledger_lines
from messages_app.shared.job_states import JobKind, JobState
from tests.support.fillings import undone_filling
from tests.support.ledgers import store_chunks_of_other_jobs
from tests.support.parameters import quick_first
from tests.support.plans import faults_of, reads_of

pytestmark = pytest.mark.django_db

CHUNKS, A_CHUNK = 100, 2_000
MESSAGES = CHUNKS * A_CHUNK

# Messages 1 to MESSAGES, of which every `nth` is done. A second job has the same messages.
_FILL = """
INSERT INTO job_item (job_id, chunk_no, msg_id, root_msg_id, old_state)
SELECT %(job_id)s, (n - 1) / %(a_chunk)s, n, n, 'FAILED' FROM generate_series(1, %(messages)s) AS n;
INSERT INTO job_refusal (job_id, msg_id, root_msg_id, old_state, outcome)
SELECT %(job_id)s, n, n, 'FAILED', 'skipped:moved_on' FROM generate_series(1, %(messages)s) AS n
 WHERE n %% %(nth)s <> 0;
INSERT INTO job_chunk (job_id, chunk_no, content, planned, attempt, outcomes, moved, versions, committed_at)
SELECT %(job_id)s, n, 'messages', %(a_chunk)s, 1,
       jsonb_strip_nulls(jsonb_build_object(
         'done', nullif((n + 1) * %(a_chunk)s / %(nth)s - n * %(a_chunk)s / %(nth)s, 0),
         'skipped:moved_on', %(a_chunk)s)),
       '{}', '[]', clock_timestamp()
  FROM generate_series(0, %(chunks)s - 1) AS n;
"""


@pytest.fixture(scope="module")
def jobs(django_db_setup, django_db_blocker) -> Iterator[dict[int, Job]]:
    """Store a job with a done message in every fiftieth chunk, and one with a done message in each chunk."""
    with undone_filling(django_db_blocker) as cursor:
        found = {}
        for nth in (50 * A_CHUNK, A_CHUNK):
            found[nth] = Job.objects.create(
                kind=JobKind.RESTART, state=JobState.DONE, reason="x", created_by="ada"
            )
            values = {"job_id": found[nth].pk, "nth": nth, "chunks": CHUNKS, "a_chunk": A_CHUNK}
            cursor.execute(_FILL, values | {"messages": MESSAGES})
        store_chunks_of_other_jobs()
        cursor.execute("ANALYZE job_item, job_refusal, job_chunk")
        yield found


def done_page(job: Job, cursor: str | None = None) -> Page:
    """Return a page of done messages, after checking the plan of each query."""
    sent = []
    with connection.execute_wrapper(reads_of(sent)):
        page = item_page(job=job, outcome="done", cursor=cursor)
    for sql, params in sent:
        assert not faults_of(sql, params), sql
    return page


def ids_of(pages: Iterator[Page]) -> list[int]:
    return [row.msg_id for page in pages for row in page.rows]


def pages_of(job: Job) -> Iterator[Page]:
    page = done_page(job)
    yield page
    while page.next_cursor is not None:
        page = done_page(job, page.next_cursor)
        yield page


class TestItemPage:
    @pytest.mark.parametrize("nth", quick_first([50 * A_CHUNK, A_CHUNK]))
    def test_finds_the_few_done_messages_by_an_index(self, jobs, nth):
        assert ids_of(pages_of(jobs[nth])) == list(range(nth, MESSAGES + 1, nth))

    def test_leads_back_to_the_previous_page(self, jobs):
        first, second = islice(pages_of(jobs[A_CHUNK]), 2)
        back = done_page(jobs[A_CHUNK], second.previous_cursor)
        assert set(ids_of([back])) <= set(ids_of([first]))


class TestLedgerLines:
    def test_have_every_message_that_is_done(self, jobs):
        lines = list(ledger_lines(jobs[50 * A_CHUNK], "done"))
        assert len(lines) == 1 + MESSAGES // (50 * A_CHUNK)
