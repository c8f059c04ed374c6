import time

import pytest
from django.db.models import F

from messages_app.core.pagination.incremental_scan import _next_step, read_with_patience
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import fetch_page
from messages_app.messages.models import Message
from tests.support.factories import message_columns, store_messages

pytestmark = pytest.mark.django_db

BY_ID = Order(column="msg_id", key="msg_id", descending=True)
ROWS = 2500
WANTED = {3, 700, 1499, 1500, 2400}


@pytest.fixture
def branch() -> Branch:
    """Store messages of which few match, and return the branch that scans all of them."""
    store_messages(
        message_columns(key, service_name="rare" if key in WANTED else "billing")
        for key in range(1, ROWS + 1)
    )
    return Branch(rows=Message.objects.filter(service_name="rare"), scan=Message.objects.all())


def ids(rows) -> list[int]:
    return [row.msg_id for row in rows]


class TestLook:
    def test_ends_at_its_limit_and_reports_its_progress(self, branch):
        found = read_with_patience([branch], BY_ID, start=None, descending=True, limit=10, patience=0)
        assert ids(found.rows) == [2400]
        assert found.looked_until == (1501, 1501)

    def test_continues_from_there_without_a_gap(self, branch):
        seen, start = [], None
        while True:
            found = read_with_patience([branch], BY_ID, start=start, descending=True, limit=10, patience=0)
            seen += ids(found.rows)
            if (start := found.looked_until) is None:
                break
        assert seen == sorted(WANTED, reverse=True)

    def test_leaves_a_step_that_takes_too_long_to_the_next_request(self, branch):
        rows = branch.rows.extra(where=["pg_sleep(CASE WHEN msg_id < 1000 THEN 5 ELSE 0 END) IS NOT NULL"])
        began = time.monotonic()
        found = read_with_patience(
            [Branch(rows=rows, scan=branch.scan)], BY_ID, start=None, descending=True, limit=10, patience=0.3
        )
        assert time.monotonic() - began < 4
        assert (ids(found.rows), found.looked_until) == ([2400], (1501, 1501))

    def test_has_no_page_before_its_first_row(self, branch):
        first = fetch_page([branch], order=BY_ID, page_size=10, patience=0)
        assert (ids(first.rows), first.previous_cursor) == ([2400], None)
        before = fetch_page([branch], order=BY_ID, page_size=10, cursor=first.newer_cursor)
        assert ids(before.rows) == []

    def test_reads_to_the_end_in_its_time(self, branch):
        found = read_with_patience([branch], BY_ID, start=None, descending=False, limit=10, patience=30)
        assert (ids(found.rows), found.looked_until) == (sorted(WANTED), None)

    def test_reports_no_position_with_a_full_page(self, branch):
        found = read_with_patience([branch], BY_ID, start=None, descending=True, limit=1, patience=0)
        assert (ids(found.rows), found.looked_until) == ([2400], None)

    def test_stops_all_branches_at_the_position_of_the_first(self, branch):
        others = Branch(rows=Message.objects.filter(msg_id__in=[5, 1501, 2000]).exclude(service_name="rare"))
        found = read_with_patience([branch, others], BY_ID, start=None, descending=True, limit=10, patience=0)
        assert ids(found.rows) == [2400, 2000, 1501]
        rest = read_with_patience(
            [branch, others], BY_ID, start=found.looked_until, descending=True, limit=9, patience=30
        )
        assert ids(rest.rows) == [1500, 1499, 700, 5, 3]

    def test_follows_the_index_of_a_constant(self, branch):
        rare = Branch(
            rows=Message.objects.filter(msg_id__lt=1000),
            constant=("service_name", "rare"),
            scan=Message.objects.all(),
        )
        found = read_with_patience([rare], BY_ID, start=None, descending=True, limit=10, patience=0)
        assert (ids(found.rows), found.looked_until) == ([700, 3], None)

    @pytest.mark.parametrize(("descending", "until"), [(True, (1501, 1501)), (False, (1000, 1000))])
    def test_goes_no_further_than_the_slowest_of_several_scans(self, branch, descending, until):
        even = Message.objects.alias(half=F("msg_id") % 2).filter(half=0)
        other = Branch(rows=even.filter(service_name="rare"), scan=even)
        found = read_with_patience(
            [other, branch], BY_ID, start=None, descending=descending, limit=10, patience=0
        )
        assert found.looked_until == until
        found = read_with_patience(
            [branch, other], BY_ID, start=None, descending=descending, limit=10, patience=0
        )
        assert found.looked_until == until

    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("limit", [2, 4, 10])
    def test_collects_the_rows_of_all_segments_up_to_its_limit(self, branch, descending, limit):
        def stretches(start, descending):
            ends = [range(1, 1000), range(1000, 1600), range(1600, 2500)]
            for keys in reversed(ends) if descending else ends:
                until = keys[0] if descending else keys[-1]
                yield branch.rows.filter(msg_id__in=keys), (until, until)

        told = Branch(rows=branch.rows, stretches=stretches)
        found = read_with_patience([told], BY_ID, start=None, descending=descending, limit=limit, patience=30)
        assert ids(found.rows) == sorted(WANTED, reverse=descending)[:limit]
        assert found.looked_until is None

    @pytest.mark.parametrize("descending", [False, True])
    def test_goes_from_segment_to_segment_of_a_branch(self, branch, descending):
        def stretches(start, descending):
            ends = [range(1, 1000), range(1499, 1600), range(2300, 2500)]
            for keys in reversed(ends) if descending else ends:
                until = keys[0] if descending else keys[-1]
                if start is None or (until < start[0] if descending else until > start[0]):
                    yield branch.rows.filter(msg_id__in=keys), (until, until)

        told = Branch(rows=branch.rows, stretches=stretches)
        seen, start, looks = [], None, 0
        while looks < 9:
            found = read_with_patience(
                [told], BY_ID, start=start, descending=descending, limit=10, patience=0
            )
            seen, looks = seen + ids(found.rows), looks + 1
            if (start := found.looked_until) is None:
                break
        assert (seen, looks) == (sorted(WANTED, reverse=descending), 4)


@pytest.mark.parametrize(
    ("steps", "seconds", "following"),
    [
        (1_000, 0.15, 1_000),
        (1_000, 0.3, 500),
        (1_000, 0.001, 8_000),
        (1_000, 0.0, 8_000),
        (20_000, 0.001, 25_000),
        (60, 100.0, 50),
    ],
)
def test_the_next_step_takes_about_the_same_time(steps, seconds, following):
    assert _next_step(steps, seconds, longest=0.15) == following


def test_a_step_of_a_short_scan_is_shorter():
    assert _next_step(1_000, 0.1, longest=0.05) == 500
