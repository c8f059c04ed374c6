"""
The web server, whose processes may take only little more memory than they had when everything was loaded:
texts of 20 MB, and the ledger of a million messages.
"""

import hashlib
import json
from collections.abc import Iterator

import pytest
from django.db import connection

from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobKind, JobState
from tests.support.factories import make_message, make_request, make_response
from tests.support.web_server import CLIENTS, Address, Web, web_server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LARGE = "<list>" + "<item n='1'><sub>žluť</sub></item>" * 560_000 + "<last/></list>"
# For one process. All clients may ask the same one, which holds a few pieces of 4 MB for each of them.
MAX_BYTES = 240_000_000
LEDGER = 1_000_000
# A page of 5 000 rows at a time; all rows would be several hundred MB.
MAX_BYTES_OF_LEDGER = 60_000_000

FILL_LEDGER = """
INSERT INTO job_item (job_id, chunk_no, msg_id, root_msg_id, old_state)
SELECT %(job)s, (n - 1) / 5000, n, n, 'FAILED' FROM generate_series(1, %(count)s) AS n;
INSERT INTO job_refusal (job_id, msg_id, root_msg_id, old_state, outcome)
SELECT %(job)s, n, n, 'FAILED', 'skipped:moved_on' FROM generate_series(10, %(count)s, 10) AS n;
INSERT INTO job_chunk (job_id, chunk_no, content, planned, attempt, outcomes, moved, versions, new_state,
                       committed_at)
SELECT %(job)s, n, 'messages', 5000, 1, '{"done": 4500, "skipped:moved_on": 500}', '{}', '[]',
       'PARTLY_FAILED', clock_timestamp()
  FROM generate_series(0, %(count)s / 5000 - 1) AS n;
ANALYZE job_item, job_refusal, job_chunk;
"""


@pytest.fixture
def web(tmp_path) -> Iterator[Web]:
    with web_server(tmp_path) as running:
        yield running


def addresses_of_texts(text: str) -> list[Address]:
    """Store a failed message with a request and a response, all with this text, and return what shows it."""
    message = make_message(payload=text, envelope=text, state="FAILED")
    other = make_message(payload=text, state="OK")
    request = make_request(message, req_envelope=text)
    response = make_response(request, res_envelope=text)
    pages = [
        "",
        "payload/",
        "payload/?view=raw&from=19000000",
        "payload/?view=hex&from=0x1200000",
        "payload/?find=last",
        "payload/download/",
        "envelope/",
        "envelope/download/",
        "exchanges/",
        f"requests/{request.pk}/",
        f"requests/{request.pk}/download/",
        f"responses/{response.pk}/",
        f"responses/{response.pk}/download/",
        f"compare/?with={other.pk}",
        f"compare/?with={other.pk}&unified=true",
        f"compare/?kind=request&key={request.pk}",
    ]
    day = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-02T00:00:00Z"
    calls = [
        f"messages/{message.pk}/",
        f"messages/{message.pk}/payload/",
        f"messages/{message.pk}/envelope/",
        f"messages/{message.pk}/explain/",
        f"messages/{message.pk}/timeline/",
        f"requests/{request.pk}/",
        f"responses/{response.pk}/",
        "messages/",
        f"messages/?payload_contains=last&{day}",
    ]
    return [
        *(Address(f"/messages/{message.pk}/{path}", is_api=False) for path in pages),
        Address("/messages/export/", is_api=False),
        Address(f"/messages/?payload_contains=last&{day}", is_api=False),
        *(Address(f"/api/v1/{path}", is_api=True) for path in calls),
    ]


def test_texts_of_20_megabytes_take_little_memory(web):
    web.load(addresses_of_texts("<list/>"))
    addresses = addresses_of_texts(LARGE)

    web.limit(MAX_BYTES)
    answers = web.get_all([address for address in addresses for _ in range(CLIENTS)])

    assert {answer.status for answer in answers} == {200}
    by_path = {address.path: answer for address, answer in zip(addresses, answers[::CLIENTS], strict=True)}
    body = LARGE.encode()
    downloads = [answer for path, answer in by_path.items() if path.endswith("/download/")]
    assert {answer.digest for answer in downloads} == {hashlib.sha256(body).hexdigest()}
    content = json.dumps({"content": LARGE}, ensure_ascii=False, separators=(",", ":")).encode()[1:-1]
    texts = [answer for path, answer in by_path.items() if "/api/" in path and answer.length > len(content)]
    assert len(texts) == 4
    assert all(b'"content":"<list>' in answer.beginning for answer in texts)


def store_large_job(count: int) -> Job:
    job = Job.objects.create(
        kind=JobKind.RESTART, state=JobState.DONE, reason="x", created_by="ada", chunk_count=count // 5000
    )
    with connection.cursor() as cursor:
        cursor.execute(FILL_LEDGER, {"job": job.pk, "count": count})
    return job


def addresses_of_job(job: Job) -> list[Address]:
    pages = ["", "progress/", "?outcome=done", "?outcome=skipped", "ledger/", "ledger/?outcome=done"]
    calls = ["", "items/?page_size=500", "items/?page_size=500&outcome=done"]
    return [
        Address("/jobs/", is_api=False),
        *(Address(f"/jobs/{job.pk}/{path}", is_api=False) for path in pages),
        *(Address(f"/api/v1/jobs/{job.pk}/{path}", is_api=True) for path in calls),
    ]


def test_the_ledger_of_a_large_job_takes_little_memory(web):
    web.load(addresses_of_job(store_large_job(5000)))
    asked = addresses_of_job(store_large_job(LEDGER))

    web.limit(MAX_BYTES_OF_LEDGER)
    answers = web.get_all(asked)

    assert {answer.status for answer in answers} == {200}
    by_path = zip((address.path for address in asked), answers, strict=True)
    lines = {path.partition("/ledger/")[2]: answer.lines for path, answer in by_path if "/ledger/" in path}
    assert lines == {"": LEDGER + 1, "?outcome=done": LEDGER * 9 // 10 + 1}
