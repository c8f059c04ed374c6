"""The pages of jobs and of a job's items, among rows of other jobs, in one order and across pages."""

from collections.abc import Callable
from itertools import chain

import pytest

from messages_app.core.pagination.paginator import Page
from messages_app.core.problems import Problem
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import item_page, jobs_in
from tests.support.ledgers import store_decided_chunk, store_ledger

pytestmark = pytest.mark.django_db


def store_job(**columns: object) -> Job:
    return Job.objects.create(**{"kind": "restart", "state": "running", "reason": "r"} | columns)


def all_pages(page_of: Callable[..., Page], **asked: object) -> list[list[int]]:
    """Return the keys of each page until the last one."""
    pages, cursor = [], None
    while True:
        page = page_of(cursor=cursor, page_size=2, **asked)
        pages.append([getattr(row, "msg_id", None) or row.job_id for row in page.rows])
        cursor = page.next_cursor
        if cursor is None:
            return pages


class TestJobPages:
    @pytest.fixture
    def jobs(self) -> dict[str, int]:
        kinds_and_states = (
            "restart running",
            "cancel running",
            "restart done",
            "export done",
            "cancel failed",
        )
        return {name: store_job(kind=name.split()[0], state=name.split()[1]).pk for name in kinds_and_states}

    @pytest.mark.parametrize(
        ("asked", "names"),
        [
            ({}, ["cancel failed", "export done", "restart done", "cancel running", "restart running"]),
            ({"kind": "restart"}, ["restart done", "restart running"]),
            ({"state": "done"}, ["export done", "restart done"]),
            ({"state": "done", "kind": "restart"}, ["restart done"]),
            ({"state": "stopped"}, []),
        ],
    )
    def test_of_one_state_and_kind_are_newest_first(self, jobs, asked, names):
        found = all_pages(jobs_in, **{f"{name}s": [value] for name, value in asked.items()})
        assert list(chain.from_iterable(found)) == [jobs[name] for name in names]
        assert all(len(page) == 2 for page in found[:-1])

    @pytest.mark.parametrize(
        ("asked", "names"),
        [
            ({}, ["cancel failed", "export done", "restart done", "cancel running", "restart running"]),
            ({"states": ["failed", "running"]}, ["cancel failed", "cancel running", "restart running"]),
            ({"kinds": ["export", "restart"]}, ["export done", "restart done", "restart running"]),
            ({"states": ["done"], "kinds": ["cancel", "restart"]}, ["restart done"]),
        ],
    )
    def test_of_several_states_and_kinds_are_newest_first(self, jobs, asked, names):
        assert list(chain.from_iterable(all_pages(jobs_in, **asked))) == [jobs[name] for name in names]

    def test_have_cursors_of_their_own(self, jobs):
        cursor = jobs_in(states=["done"], page_size=1).next_cursor
        with pytest.raises(Problem) as refused:
            jobs_in(states=["running"], cursor=cursor, page_size=1)
        assert refused.value.status == 400


class TestItemPages:
    @pytest.fixture
    def job(self) -> Job:
        """Store a job with two chunks that are done and one that is open, and another job of the messages."""
        other, job = store_job(), store_job()
        store_ledger(other, dict.fromkeys(range(1, 12), "skipped:locked"))
        store_decided_chunk(job, 0, {5: "done", 2: "skipped:locked", 3: "failed:uq_x"})
        store_decided_chunk(job, 2, {1: "done", 6: "skipped:moved_on", 7: "done", 8: "skipped:locked"})
        store_ledger(job, {9: None, 4: None})
        return job

    @pytest.mark.parametrize(
        ("outcome", "ids"),
        [
            (None, [2, 3, 5, 4, 9, 1, 6, 7, 8]),
            ("done", [5, 1, 7]),
            ("skipped", [2, 6, 8]),
            ("skipped:locked", [2, 8]),
            ("skipped:moved_on", [6]),
            ("skipped:in_job", []),
            ("failed", [3]),
            ("failed:uq_x", [3]),
        ],
    )
    def test_have_the_items_of_an_outcome(self, job, outcome, ids):
        found = all_pages(item_page, job=job, outcome=outcome)
        assert list(chain.from_iterable(found)) == ids
        assert all(len(page) == 2 for page in found[:-1])

    @pytest.mark.parametrize(
        "outcome", ["", "ok", "done:", "done:x", "skipped:", "failed:", f"failed:{'x' * 54}"]
    )
    def test_reject_an_outcome_that_does_not_exist(self, job, outcome):
        with pytest.raises(Problem) as refused:
            item_page(job=job, outcome=outcome)
        assert (refused.value.status, refused.value.errors[0].field) == (400, "outcome")

    def test_go_back_in_the_same_order(self, job):
        pages = [item_page(job=job, outcome="done", page_size=2)]
        pages.append(item_page(job=job, outcome="done", page_size=2, cursor=pages[0].next_cursor))
        back = item_page(job=job, outcome="done", page_size=2, cursor=pages[1].previous_cursor)
        assert [[row.msg_id for row in page.rows] for page in (*pages, back)] == [[5, 1], [7], [5, 1]]

    def test_have_cursors_of_their_own(self, job):
        cursor = item_page(job=job, outcome="skipped", page_size=1).next_cursor
        for asked in ({"job": store_job(), "outcome": "skipped"}, {"job": job, "outcome": "done"}):
            with pytest.raises(Problem):
                item_page(cursor=cursor, page_size=1, **asked)
