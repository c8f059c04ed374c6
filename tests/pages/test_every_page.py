import gzip
import re

import pytest
from django.db.models.functions import Now

from messages_app.audit.services import Actor, record
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services import check, resubmit, settle, suspend_trigger, sweep
from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.jobs.scheduling.models import JobSchedule
from messages_app.jobs.states import ChunkContent, JobState, PauseReason
from messages_app.messages.failing.joining import join
from messages_app.messages.failing.models import FailureGroup
from messages_app.messages.models import Message
from messages_app.messages.rollups.folding import fold
from messages_app.messages.watching.checking import check_rules
from messages_app.messages.watching.models import WatchRule
from tests.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    make_response,
)
from tests.histories import ADA, make_trigger, store_both, store_entry
from tests.ledgers import store_ledger
from tests.pages.checks import check_page

MAX_PAGE_BYTES = 200_000
# Until a page that has been resized is drawn anew.
_DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 800}
# The policy under which every page of ours must work: nothing inline, nothing evaluated.
STRICT = "default-src 'none'; " + "; ".join(
    f"{kind}-src 'self'" for kind in ("script", "style", "img", "font", "connect")
)


def failure_paths() -> list[str]:
    """Count what was stored, open an alert about it, and return the addresses of its failure groups."""
    fold()
    join()
    WatchRule.objects.create(name="Failed", measure="present", state="FAILED", limit=0)
    check_rules()
    return [f"/failures/{group_id}/" for group_id in FailureGroup.objects.values_list("pk", flat=True)]


@pytest.fixture
def paths() -> list[str]:
    """Store rows of every kind, and return the addresses of the pages that show them."""
    parent = make_message(state="WAITING", correlation_id="x" * 100, operation_name="y" * 100)
    message = make_message(
        state="FAILED",
        parent_msg_id=parent.pk,
        failed_count=4,
        failed_error_code="E103",
        failed_desc="E103: " + "refused " * 40 + "\n" + "\tat x.y.Z\n" * 50,
        custom_data="z" * 5000,
    )
    make_external_call(message, operation_name="spring-ws:http://a.example/" + "o" * 70)
    make_response(make_request(message, uri="http://a.example/" + "u" * 380))
    make_funnel(message, funnel_value="v" * 50)
    for _ in range(50):
        make_message(state="PROCESSING")
    waiting = make_message(state="POSTPONED", funnel_component_id="funnel_1", last_process_timestamp=NOON)
    make_funnel(waiting, funnel_value="account-7")
    archived = make_archived_message()
    record(actor=Actor(username="ada"), action="restart", msg_id=message.pk, reason="r" * 1000)
    job = Job.objects.create(kind="archive", state=JobState.DONE, reason="r" * 1000, created_by="ada")
    JobChunk.objects.create(
        job_id=job.pk,
        chunk_no=0,
        content=ChunkContent.MESSAGES,
        planned=1,
        outcomes={"done": 1},
        moved={"message": 1},
        committed_at=NOON,
    )
    JobItem.objects.create(
        job_id=job.pk, msg_id=message.pk, chunk_no=0, root_msg_id=parent.pk, old_state="OK"
    )
    schedule = JobSchedule.objects.create(
        kind="archive",
        filter={"state": "OK"},
        options={"to": "parquet"},
        cron="30 2 * * *",
        zone="UTC",
        reason="r",
    )
    return [
        "/",
        "/failures/",
        *failure_paths(),
        "/messages/",
        "/messages/?state=FAILED&service_name=nobody",
        "/messages/?receive_timestamp_from=whenever",
        "/messages/?archived=any",
        "/messages/?q=state:FAILD",
        "/messages/views/",
        "/messages/find/?id=corr",
        "/funnels/",
        "/funnels/?value=account-7&component=funnel_1",
        f"/messages/{message.pk}/",
        f"/messages/{parent.pk}/",
        f"/messages/{archived.pk}/",
        f"/messages/{message.pk}/restart/?total=true",
        f"/messages/{message.pk}/cancel/",
        f"/messages/{message.pk}/payload/",
        f"/messages/{message.pk}/payload/?view=raw",
        f"/messages/{message.pk}/payload/?view=hex&find=Ada",
        f"/messages/{message.pk}/compare/",
        f"/messages/{message.pk}/compare/?with={parent.pk}",
        "/messages/1/",
        "/jobs/",
        f"/jobs/{job.pk}/",
        "/jobs/schedules/",
        "/jobs/schedules/new/?kind=restart",
        f"/jobs/schedules/{schedule.pk}/",
        "/archive/",
        *job_paths(message),
        *document_paths(),
        "/audit/",
    ]


def job_paths(message: Message) -> list[str]:
    """Store jobs in all sorts of situations, and return the addresses of the pages about them."""
    asked = {"reason": "r" * 1000, "created_by": "ada", "filter": {"state": "FAILED", "object_id": "o" * 50}}
    canary = {"size": 20, "ok": 12, "failed": 3, "open": 5, "decided_at": None}
    paused = Job.objects.create(
        kind="restart",
        state=JobState.PAUSED,
        paused_for=PauseReason.CANARY_UNDECIDED,
        attempt=1,
        rate=2.5,
        options={"rate": 2.5, "canary": 20, "total": True},
        report={"canary": canary, "expected": 4_000},
        chunk_count=1,
        **asked,
    )
    ended = Job.objects.create(
        kind="cancel", state=JobState.DONE, attempt=2, started_at=NOON, finished_at=Now(), **asked
    )
    for each in (paused, ended):
        reasons = {f"skipped:{'s' * 50}": 1, "failed:too_slow": 1}
        store_ledger(each, {message.pk: "done"} | dict(zip((1, 2), reasons, strict=True)), new_state="CANCEL")
    stalled = Job.objects.create(kind="export", state=JobState.RUNNING, attempt=1, lease_until=NOON, **asked)
    previewed = Job.objects.create(
        kind="restart",
        state=JobState.PLANNED,
        dry_run=True,
        report={
            "planned": 9_000,
            "skipped": {"in_job": 7},
            "by_state": {"FAILED": 9_000},
            "samples": [message.pk],
        },
        **asked,
    )
    counting = Job.objects.create(kind="cancel", state=JobState.PLANNING, dry_run=True, **asked)
    jobs = [paused, ended, stalled, previewed]
    return [
        *(f"/jobs/{each.pk}/" for each in jobs),
        f"/jobs/{ended.pk}/?outcome=failed",
        f"/jobs/{ended.pk}/?msg_id=99",
        f"/jobs/{ended.pk}/since/",
        f"/jobs/of-message/{message.pk}/",
        "/jobs/new/?kind=restart&state=FAILED&total=true",
        "/jobs/new/?kind=cancel&state=OK",
        "/jobs/new/?kind=export&state=FAILED,PROCESSING",
        "/jobs/new/?kind=archive&older_than_months=2",
        "/jobs/new/?kind=restore&correlation_id=nobody",
        f"/jobs/new/?from={previewed.pk}",
        f"/jobs/new/?from={counting.pk}",
    ]


def document_paths() -> list[str]:
    """Store documents in all sorts of situations, and return the addresses of the pages about them."""
    long = "d" * 96
    trigger = make_trigger(name="n" * 60, resolver="nobody")
    suspend_trigger(trigger_id=trigger.pk, because="because " * 30)
    make_trigger("t-2", name="Invoices")
    for uuid, age in ((long, "3 days"), ("d-1", "1 minute")):
        store_both(uuid=uuid, trigger_id="t-2", age=age)
    store_both(uuid="d-2", trigger_id="t-9")
    store_entry("completed", uuid="d-3", trigger_id="t-2")
    for uuid in (long.upper(), "d-4", "d-5"):
        store_entry("processing", uuid=uuid, trigger_id="t-2", age="2 hours")
        check(trigger_id="t-2", uuid=uuid, redelivery_count=1, document_name="y" * 100, document={"a": 1})
    check(trigger_id="t-2", uuid="x" * 3000)
    check(trigger_id="t-2", uuid="d-1")
    opened, resubmitted, settled = DocumentInDoubt.objects.order_by("pk")[:3]
    resubmit(in_doubt_id=resubmitted.pk, actor=ADA, reason="r" * 1000, takes=False)
    settle(in_doubt_id=settled.pk, actor=ADA, reason="r" * 1000)
    sweep(actor=ADA, reason="r")
    home = "/document-history/"
    return [
        home,
        f"{home}new-trigger/",
        f"{home}triggers/{trigger.pk}/",
        f"{home}triggers/t-2/",
        f"{home}entries/",
        f"{home}entries/?uuid_prefix=d&state=both",
        f"{home}entries/?time_from=whenever",
        f"{home}undetermined/",
        f"{home}in-doubt/",
        f"{home}in-doubt/?state=open&trigger_id={trigger.pk}",
        *(f"{home}in-doubt/{line.pk}/" for line in (opened, resubmitted, settled)),
        f"{home}in-doubt/{opened.pk}/document/",
        f"{home}statistics/",
        f"{home}statistics/?at_to=-20d",
        f"{home}sweeper/",
        f"{home}dry-run/",
        f"{home}dry-run/?trigger_id=t-2&uuid={long}&redelivery_count=2",
    ]


class TestEveryPage:
    def test_has_names_headings_and_room(self, open_window, paths):
        # Room depends on the width alone, contrast on the colours alone: one visit shows both.
        window = open_window(viewport=WIDE, color_scheme="light")
        window.open("/login/")
        check_looks(window)
        window.log_in("admin", "view_payload")
        for path in paths:
            window.open(path)
            window.page.wait_for_load_state("networkidle")  # what a page loads after itself counts too
            check_looks(window)

    def test_weighs_little_and_needs_nothing_inline_or_evaluated(self, window, paths):
        window.page.route("**/*", lambda route: _serve_strictly(route))
        weights: dict[str, int] = {}
        window.page.on("response", lambda response: weights.update(_weight(response)))
        window.log_in("admin", "view_payload")
        for path in paths:
            weights.clear()
            window.open(path)
            window.page.wait_for_load_state("networkidle")
            assert sum(weights.values()) < MAX_PAGE_BYTES, (path, weights)
        window.open(next(path for path in paths if re.fullmatch(r"/messages/[0-9]{2,}/", path)))
        window.page.locator("summary").filter(has_text="Payload").click()
        window.page.locator("pre.source").wait_for()

    def test_follows_the_readers_choice_of_colours(self, open_window):
        window = open_window(color_scheme="light")
        window.log_in("support")
        light = _background(window)
        window.page.get_by_role("button", name="Dark").click()
        assert _background(window) != light
        window.page.reload()
        assert _background(window) != light
        assert window.page.evaluate("localStorage.getItem('adminTheme')") == '"dark"'


class TestAdminPages:
    def test_work_under_the_same_roof(self, window):
        window.log_in(is_staff=True, is_superuser=True, username="root")
        for path in (
            "/admin/",
            "/admin/auth/user/",
            "/admin/auth/user/add/",
            "/admin/messages_app/apitoken/",
            "/admin/django_celery_beat/periodictask/add/",
            "/admin/django_celery_beat/crontabschedule/add/",
            "/admin/password_change/",
        ):
            assert window.open(path) == 200
            window.page.get_by_role("link", name="Messages").first.wait_for()


def check_looks(window) -> None:
    """Check the page that is open, wide and light, then narrow and dark."""
    for size, scheme in ((WIDE, "light"), (NARROW, "dark")):
        window.page.set_viewport_size(size)
        window.page.emulate_media(color_scheme=scheme)
        window.page.evaluate(_DRAWN)
        check_page(window.page)


def _serve_strictly(route) -> None:
    response = route.fetch(max_redirects=0)
    route.fulfill(response=response, headers=response.headers | {"content-security-policy": STRICT})


def _weight(response) -> dict[str, int]:
    """Return a response's size by its address, as it is when compressed."""
    if not response.ok:
        return {}
    body = response.body()
    return {response.url: len(body) if "font" in response.url else len(gzip.compress(body))}


def _background(window) -> str:
    return window.page.evaluate("getComputedStyle(document.body).backgroundColor")
