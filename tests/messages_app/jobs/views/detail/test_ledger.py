"""The ledger of a job, compared as a whole."""

import pytest
from django.http import QueryDict

from messages_app.core.problems import Problem
from messages_app.jobs.models import Job, JobItem, JobRefusal
from messages_app.jobs.outcomes import End
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.stores.store import Item, Present
from messages_app.jobs.views.detail.ledger import Row, Tab, ledger_lines, ledger_of, reason_bars
from messages_app.messages.models import Message
from tests.messages_app.jobs.stored_jobs import make_job
from tests.support.factories import make_message
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db


def item(msg_id: int) -> Item:
    return Item(item_id=msg_id, name=str(msg_id), address=f"/messages/{msg_id}/")


@pytest.fixture
def ids() -> list[int]:
    names = ("crm", "erp", "web", "fax", "edi", "sap")
    return [make_message(state="OK", service_name=name).pk for name in names]


@pytest.fixture
def job(ids: list[int]) -> Job:
    """A job with three done messages, two skipped ones, one of them of another root, and one failed one."""
    job = make_job(kind="restart", state="done")
    done, skipped, failed = ids[:3], ids[3:5], ids[5]
    outcomes = dict.fromkeys(done, "done") | dict.fromkeys(skipped, "skipped:state_conflict")
    store_ledger(job, {**outcomes, failed: "failed:too_slow"}, new_state="PARTLY_FAILED")
    for table in (JobItem, JobRefusal):
        table.objects.filter(msg_id=skipped[1]).update(root_msg_id=ids[0], old_state="CANCEL")
    return job


def shown(job: Job, query: str = "") -> object:
    return ledger_of(job_progress(job.pk), QueryDict(query))


def tabs(chosen: str) -> list[Tab]:
    counts = {"all": 6, "done": 3, "skipped": 2, "failed": 1}
    return [
        Tab(name=name, count=count, query="?" if name == "all" else f"?outcome={name}", is_on=name == chosen)
        for name, count in counts.items()
    ]


class TestLedger:
    def test_has_the_messages_with_an_end_as_a_page_and_as_a_file(self, job, ids):
        Message.objects.filter(pk=ids[1]).update(state="FAILED")
        ledger = shown(job, "now=failed")
        assert [row.item.item_id for row in ledger.rows] == [ids[1]]
        assert (ledger.tabs, ledger.reason, ledger.export) == (tabs(""), "Now failed again", "?now=failed")
        lines = "".join(ledger_lines(job, None, End.FAILED)).removeprefix("\ufeff").splitlines()
        assert [line.split(",")[0] for line in lines] == ["msg_id", str(ids[1])]

    @pytest.mark.parametrize("query", ["now=OK", "now=nothing", "now=ok&outcome=done"])
    def test_refuses_ends_that_are_unknown_or_of_an_outcome(self, job, query):
        with pytest.raises(Problem) as refused:
            shown(job, query)
        assert refused.value.errors[0].field == "now"

    def test_has_all_messages_with_their_outcomes(self, job, ids):
        ledger = shown(job)
        rows = {row.item.item_id: row for row in ledger.rows}
        assert sorted(rows) == sorted(ids)
        assert (ledger.tabs, ledger.outcome, ledger.msg_id, ledger.export) == (tabs("all"), None, None, "?")
        assert rows[ids[0]] == Row(
            item=item(ids[0]),
            head=item(ids[0]),
            old_state="OK",
            new_state="PARTLY_FAILED",
            kind="done",
            why="",
            now=Present(state="OK", about=rows[ids[0]].now.about),
        )
        assert rows[ids[0]].now.about.startswith("crm")
        refused = rows[ids[4]]
        assert (refused.item, refused.head) == (item(ids[4]), item(ids[0]))
        assert (refused.old_state, refused.new_state) == ("CANCEL", None)
        assert (refused.kind, refused.why) == ("skipped", "Its state does not allow it")

    def test_has_the_messages_of_one_outcome(self, job, ids):
        ledger = shown(job, "outcome=skipped")
        assert [row.item.item_id for row in ledger.rows] == ids[3:5]
        assert (ledger.tabs, ledger.outcome, ledger.msg_id) == (tabs("skipped"), "skipped", None)
        assert (ledger.export, ledger.reason) == ("?outcome=skipped", "")
        assert shown(job, "outcome=failed:too_slow").reason == "The database took too long"
        assert shown(job, "outcome=failed:too_slow").export == "?outcome=failed%3Atoo_slow"
        assert shown(job, "outcome=").outcome is None

    def test_has_one_message(self, job, ids):
        ledger = shown(job, f"msg_id=+{ids[2]}+&outcome=done")
        assert [row.item.item_id for row in ledger.rows] == [ids[2]]
        assert (ledger.msg_id, ledger.page, ledger.outcome) == (ids[2], None, "done")
        assert not any(tab.is_on for tab in ledger.tabs)
        with pytest.raises(Problem) as refusal:
            shown(job, "msg_id=many")
        assert [(error.field, error.message) for error in refusal.value.errors] == [
            ("msg_id", "msg_id must be the id of one, not 'many'.")
        ]


class TestReasonBars:
    def test_are_the_most_frequent_first(self):
        outcomes = [
            ("done", 9),
            ("failed:too_slow", 2),
            ("failed:uq_x", 5),
            ("skipped:a", 1),
            ("skipped:state_conflict", 4),
            ("skipped", 3),
        ]
        progress = JobProgress(
            job=Job(), planned=0, done=0, skipped=0, failed=0, outcomes=outcomes, orphans={}
        )
        found = {
            kind: [(bar.label, bar.count, bar.width, bar.query) for bar in bars]
            for kind, bars in reason_bars(progress).items()
        }
        assert found == {
            "failed": [
                ("uq_x", 5, 100.0, "?outcome=failed%3Auq_x"),
                ("The database took too long", 2, 40.0, "?outcome=failed%3Atoo_slow"),
            ],
            "skipped": [
                ("Its state does not allow it", 4, 100.0, "?outcome=skipped%3Astate_conflict"),
                ("skipped", 3, 75.0, "?outcome=skipped"),
                ("a", 1, 25.0, "?outcome=skipped%3Aa"),
            ],
        }


class TestLedgerLines:
    def test_have_every_column(self, job, ids):
        text = "".join(ledger_lines(job, None)).removeprefix("\ufeff")
        lines = [line.split(",") for line in text.splitlines()]
        assert lines[0] == [
            "msg_id", "root_msg_id", "old_state", "new_state", "outcome", "reason", "resent_as"
        ]  # fmt: skip
        rows = {line[0]: line[1:] for line in lines[1:]}
        assert rows[str(ids[1])] == [str(ids[1]), "OK", "PARTLY_FAILED", "done", "", ""]
        assert rows[str(ids[4])] == [str(ids[0]), "CANCEL", "", "skipped", "state_conflict", ""]
        assert rows[str(ids[5])] == [str(ids[5]), "OK", "", "failed", "too_slow", ""]
