import string
import threading
from datetime import timedelta
from itertools import cycle, islice, pairwise

import pytest
from django.http import QueryDict
from django.test import RequestFactory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messages_app.core.pagination.paginator import (
    MAX_PAGE_SIZE,
    Branch,
    Order,
    Page,
    fetch_page,
    page_links,
    parse_ordering,
    parse_page,
    parse_page_size,
    parse_paging,
)
from messages_app.core.problems import Problem
from messages_app.messages.models import Message
from tests.support.eventually import eventually
from tests.support.factories import NOON, message_columns, store_messages
from tests.support.parameters import quick_first
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

ORDERS = [
    Order(column=column, key="msg_id", descending=descending, nullable=column == "last_process_timestamp")
    for column in ("msg_id", "receive_timestamp", "last_process_timestamp")
    for descending in (False, True)
]
by_order = pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.name)


def walk(rows, order: Order, page_size: int, *, backwards: bool = False, between=lambda: None) -> list[Page]:
    """Read a list page by page, from its first page on, or backwards from its last page."""
    pages = [fetch_page(rows, order=order, page_size=page_size)]
    if backwards:
        last = pages[0]
        while last.next_cursor:
            last = fetch_page(rows, order=order, page_size=page_size, cursor=last.next_cursor)
        pages = [last]
    while cursor := pages[-1].previous_cursor if backwards else pages[-1].next_cursor:
        between()
        pages.append(fetch_page(rows, order=order, page_size=page_size, cursor=cursor))
    return pages


def ids(pages: list[Page]) -> list[int]:
    return [row.msg_id for page in pages for row in page.rows]


def expected(order: Order) -> list[int]:
    """Return the ids in the order of the list, with the rule for NULLs, computed without SQL."""
    values = Message.objects.values_list(order.column, "msg_id")
    ascending = sorted(values, key=lambda row: (row[0] is None, row[0] or NOON, row[1]))
    if order.column == "msg_id":
        ascending = sorted(values)
    found = [msg_id for _, msg_id in ascending]
    return found[::-1] if order.descending else found


# There is room for later ids between the ids that are stored first.
SPACING = 100


def columns(msg_id: int, second: int | None) -> dict[str, object]:
    received = NOON + timedelta(seconds=second or 0)
    processed = None if second is None else received
    return message_columns(msg_id, receive_timestamp=received, last_process_timestamp=processed)


def store(seconds: list[int | None]) -> list[int]:
    """Store a message for each number, and return the ids. Equal numbers are equal times; None is NULL."""
    numbered = [(number * SPACING, second) for number, second in enumerate(seconds, start=1)]
    Message.objects.bulk_create(Message(**columns(msg_id, second)) for msg_id, second in numbered)
    return [msg_id for msg_id, _ in numbered]


@st.composite
def lists(draw):
    seconds = draw(st.lists(st.one_of(st.none(), st.integers(0, 2)), max_size=25))
    return seconds, draw(st.integers(1, 7))


class TestFetchPage:
    @by_order
    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(lists())
    def test_returns_each_row_once_forward_and_back(self, order, drawn):
        seconds, page_size = drawn
        Message.objects.all().delete()
        store(seconds)
        assert ids(walk(Message.objects.all(), order, page_size)) == expected(order)
        back = walk(Message.objects.all(), order, page_size, backwards=True)
        assert ids(back[::-1]) == expected(order)

    @by_order
    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        lists(),
        st.lists(st.tuples(st.integers(1, 25), st.none() | st.integers(0, 2)), max_size=8),
        st.booleans(),
    )
    def test_returns_each_row_once_while_others_arrive(self, order, drawn, arrivals, backwards):
        seconds, page_size = drawn
        Message.objects.all().delete()
        store(seconds)
        before = expected(order)
        coming = iter(
            [(place * SPACING + 1 + number, second) for number, (place, second) in enumerate(arrivals)]
        )

        def arrive():
            for msg_id, second in islice(coming, 2):
                Message.objects.create(**columns(msg_id, second))

        seen = ids(walk(Message.objects.all(), order, page_size, backwards=backwards, between=arrive))
        assert len(seen) == len(set(seen))
        assert set(before) <= set(seen)

    @by_order
    def test_merges_branches_in_order(self, order):
        store([second for second in (2, None, 1, 1, 0) for _ in range(4)])
        Message.objects.filter(msg_id__in=range(SPACING, 20 * SPACING, 3 * SPACING)).update(state="FAILED")
        branches = [Branch(rows=Message.objects.filter(state=state)) for state in ("NEW", "FAILED")]
        assert ids(walk(branches, order, 3)) == expected(order)

    @by_order
    @pytest.mark.parametrize("hint", [{"is_few": True}, {"constant": ("service_name", "orders")}], ids=str)
    def test_returns_the_same_rows_with_every_plan(self, order, hint):
        store([second for second in (2, None, 1, 1, 0) for _ in range(4)])
        for column in (
            "service_name",
            "source_system",
        ):  # the second branch keeps the rows of each branch separate
            Message.objects.all().update(**{column: "orders"})
        branch = Branch(rows=Message.objects.filter(source_system="orders"), **hint)
        assert ids(walk([branch], order, 3)) == expected(order)
        assert ids(walk([branch], order, 3, backwards=True)[::-1]) == expected(order)
        Message.objects.filter(msg_id__lte=10 * SPACING).update(source_system="x")
        other = Branch(rows=Message.objects.filter(source_system="x"))
        assert ids(walk([branch, other], order, 3)) == expected(order)

    def test_reads_three_thousand_equal_times_to_the_end(self):
        stored = store([1] * 3000)
        order = Order(column="receive_timestamp", key="msg_id", descending=True)
        assert ids(walk(Message.objects.all(), order, 100)) == stored[::-1]

    def test_reports_the_end_of_the_list(self):
        store([1, 2, 3])
        order = Order(column="msg_id", key="msg_id")
        first, second = walk(Message.objects.all(), order, 2)
        assert first.previous_cursor is None
        assert second.next_cursor is None
        back = fetch_page(Message.objects.all(), order=order, page_size=2, cursor=second.previous_cursor)
        assert ids([back]) == ids([first])
        assert back.previous_cursor is None
        assert back.next_cursor is not None

    def test_continues_when_the_row_of_the_cursor_is_gone(self):
        stored = store([1, 2, 3, 4])
        order = Order(column="msg_id", key="msg_id")
        page = fetch_page(Message.objects.all(), order=order, page_size=2)
        Message.objects.filter(msg_id=stored[1]).delete()
        page = fetch_page(Message.objects.all(), order=order, page_size=2, cursor=page.next_cursor)
        assert ids([page]) == stored[2:]

    def test_leads_back_from_a_page_that_became_empty(self):
        stored = store([1, 2, 3, 4])
        order = Order(column="msg_id", key="msg_id")
        page = fetch_page(Message.objects.all(), order=order, page_size=2)
        Message.objects.filter(msg_id__in=stored[2:]).delete()
        page = fetch_page(Message.objects.all(), order=order, page_size=2, cursor=page.next_cursor)
        assert (page.rows, page.next_cursor) == ([], None)
        page = fetch_page(Message.objects.all(), order=order, page_size=2, cursor=page.previous_cursor)
        assert ids([page]) == stored[:2]
        assert page.next_cursor is None

    @pytest.mark.parametrize("descending", [False, True])
    def test_leads_back_from_an_empty_page_of_a_scan_that_has_not_ended(self, descending):
        store_messages(
            message_columns(key, service_name="rare" if key in (1, 4000) else "billing")
            for key in range(1, 4001)
        )
        rare = Branch(rows=Message.objects.filter(service_name="rare"), scan=Message.objects.all())
        order = Order(column="msg_id", key="msg_id", descending=descending)
        first, last = (4000, 1) if descending else (1, 4000)

        def page_at(cursor: str | None) -> Page:
            return fetch_page([rare], order=order, page_size=2, patience=0, cursor=cursor)

        page = page_at(None)
        assert ids([page]) == [first]
        empty = page_at(page.next_cursor)
        assert (empty.rows, empty.looked_until is None) == ([], False)
        back = page_at(empty.previous_cursor)
        while not back.rows:
            back = page_at(back.previous_cursor)
        assert ids([back]) == [first]
        onward = page_at(empty.next_cursor)
        while not onward.rows:
            onward = page_at(onward.next_cursor)
        assert ids([onward]) == [last]

    @pytest.mark.parametrize(
        ("order", "scope"),
        [("-msg_id", "state=OK"), ("msg_id", "state=NEW"), ("receive_timestamp", "state=OK")],
    )
    def test_refuses_a_cursor_of_another_list(self, order, scope):
        store([1, 2, 3])
        own = Order(column="msg_id", key="msg_id")
        page = fetch_page(Message.objects.all(), order=own, page_size=2, scope="state=OK")
        other = Order(column=order.lstrip("-"), key="msg_id", descending=order.startswith("-"))
        with pytest.raises(Problem, match="This cursor is not valid for this list") as refused:
            fetch_page(Message.objects.all(), order=other, cursor=page.next_cursor, scope=scope)
        assert refused.value.status == 400
        assert refused.value.errors[0].field == "cursor"

    @given(
        st.text(max_size=60) | st.text(alphabet=string.ascii_letters + string.digits + ":._-", max_size=60)
    )
    @settings(max_examples=100, deadline=None)
    def test_refuses_an_invalid_cursor(self, text):
        with pytest.raises(Problem, match="This cursor is not valid"):
            fetch_page(Message.objects.all(), order=ORDERS[0], cursor=text)

    def test_refuses_a_cursor_that_was_cut(self):
        store([1, 2, 3])
        cursor = fetch_page(Message.objects.all(), order=ORDERS[0], page_size=1).next_cursor
        with pytest.raises(Problem, match="This cursor is not valid"):
            fetch_page(Message.objects.all(), order=ORDERS[0], cursor=cursor[:-1])


class TestParsePageSize:
    @pytest.mark.parametrize(
        "text", ["0", "-5", "501", "1000000", "abc", "1e3", "", " 5", "\u0665", "5_0", "9" * 5000]
    )
    def test_refuses_numbers_outside_1_to_500(self, text):
        with pytest.raises(Problem, match="from 1 to 500") as refused:
            parse_page_size(text)
        assert refused.value.errors[0].field == "page_size"

    @pytest.mark.parametrize(("text", "size"), [(None, 50), ("1", 1), ("500", MAX_PAGE_SIZE)])
    def test_takes_the_rest(self, text, size):
        assert parse_page_size(text) == size


@pytest.mark.django_db(transaction=True)
class TestFetchPageBesideAWriter:
    @pytest.mark.parametrize("backwards", [False, True], ids=["forward", "back"])
    @pytest.mark.parametrize("order", quick_first(ORDERS, quick=2), ids=lambda order: order.name)
    def test_returns_each_permanent_row_once(self, order, backwards):
        """Meanwhile, other rows are inserted between them and at the end, deleted and restored."""
        stored = store([number // 3 for number in range(60)])
        arrived: list[int] = []
        is_read = threading.Event()

        def write() -> None:
            places = cycle(range(50, (len(stored) + 2) * SPACING, 7 * SPACING))
            while not is_read.is_set():
                arrived.append(next(places))
                Message.objects.filter(pk=arrived[-1]).delete()
                Message.objects.create(**columns(arrived[-1], arrived[-1] // SPACING // 3))

        def some_arrive() -> None:
            before = len(arrived)
            eventually(lambda: len(arrived) > before + 1)

        def read() -> list[int]:
            try:
                return ids(walk(Message.objects.all(), order, 10, backwards=backwards, between=some_arrive))
            finally:
                is_read.set()

        _, seen = in_threads(write, read)
        assert [msg_id for msg_id in stored if seen.count(msg_id) != 1] == []


class TestParseOrdering:
    @pytest.mark.parametrize("name", ["nope", "--msg_id", "-", ",", "", "payload", "msg_id,msg_id", "?"])
    def test_refuses_an_order_that_is_not_offered(self, name):
        with pytest.raises(Problem, match="ordering must be one of msg_id, -msg_id"):
            parse_ordering(name, ORDERS)

    def test_uses_the_first_by_default(self):
        assert parse_ordering(None, ORDERS) is ORDERS[0]


class TestArguments:
    def test_reads_the_three_parameters(self):
        params = QueryDict("ordering=msg_id&cursor=x&page_size=7&state=OK")
        assert parse_paging(params) == {"ordering": "msg_id", "cursor": "x", "page_size": 7}
        assert parse_page(params) == {"cursor": "x", "page_size": 7}


class TestPageLinks:
    def test_keeps_everything_except_the_cursor(self):
        request = RequestFactory().get("/api/v1/messages/?state=OK&state=FAILED&object_id=a%26b&cursor=old")
        links = page_links(request, Page(rows=[], next_cursor="new", previous_cursor=None))
        assert links == {
            "next": "http://testserver/api/v1/messages/?state=OK&state=FAILED&object_id=a%26b&cursor=new",
            "previous": None,
        }

    def test_leads_through_the_list_and_back(self):
        store(list(range(10)))
        pages = walk(Message.objects.all(), ORDERS[0], 3)
        for earlier, later in pairwise(pages):
            back = fetch_page(
                Message.objects.all(), order=ORDERS[0], page_size=3, cursor=later.previous_cursor
            )
            assert back.rows == earlier.rows
