"""The pages of the children of a message."""

import pytest

from messages_app.core.problems import Problem
from messages_app.messages.detail import children
from messages_app.messages.detail.children import children_page, roll_up
from tests.messages_app.messages.detail.rows import make_children, plans
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db


def ids_of(page) -> list[int]:
    return [branch.relative.msg_id for branch in page.below]


def pages(parent: int) -> list[list[int]]:
    """Return the ids of every page of children."""
    found, cursor = [], None
    while cursor != "":
        page = children_page(parent, cursor=cursor)
        found.append(ids_of(page))
        cursor = page.cursor
    return found


class TestChildrenPage:
    def test_is_nothing_without_children(self):
        assert children_page(make_message().pk) is None

    def test_puts_failed_children_first_then_unfinished_ones_live_before_archived(self):
        parent = make_message().pk
        ok = make_message(parent_msg_id=parent, state="OK").pk
        old_ok = make_archived_message(parent_msg_id=parent).pk
        old_failed = make_archived_message(parent_msg_id=parent, state="FAILED").pk
        failed = make_message(parent_msg_id=parent, state="PARTLY_FAILED").pk
        waiting = make_message(parent_msg_id=parent, state="WAITING").pk
        page = children_page(parent)
        assert ids_of(page) == [failed, old_failed, waiting, ok, old_ok]
        assert [branch.relative.archived for branch in page.below] == [False, True, False, False, True]

    def test_lists_every_child_once_across_pages(self):
        parent = make_message().pk
        make_children(parent, count=60, state="FAILED")
        make_children(parent, count=70, first=6_000_000)
        old = [make_archived_message(parent_msg_id=parent).pk for _ in range(3)]
        found = pages(parent)
        assert [len(page) for page in found] == [50, 50, 33]
        everyone = [*range(5_000_000, 5_000_060), *range(6_000_000, 6_000_070), *old]
        assert [msg_id for page in found for msg_id in page] == everyone

    def test_opens_branches_with_a_failure(self):
        parent = make_message().pk
        fine = make_message(parent_msg_id=parent, state="NEW").pk
        make_message(parent_msg_id=fine, state="OK")
        broken = make_message(parent_msg_id=parent, state="WAITING").pk
        culprit = make_message(parent_msg_id=broken, state="FAILED").pk
        make_message(parent_msg_id=culprit, state="FAILED")
        first, second = children_page(parent).below
        assert (first.relative.msg_id, first.below, first.roll_up.count) == (fine, None, 1)
        assert ids_of(second) == [culprit]
        assert second.roll_up.has_failed
        assert len(second.below[0].below) == 1

    def test_opens_no_more_than_a_page_holds(self):
        parent = make_message().pk
        child = make_message(parent_msg_id=parent, state="FAILED").pk
        make_children(child, count=30, state="FAILED")
        (branch,) = children_page(parent).below
        assert len(branch.below) == children.PAGE_BELOW
        assert branch.cursor
        assert ids_of(children_page(child, cursor=branch.cursor))[0] == 5_000_000 + children.PAGE_BELOW

    def test_ends_at_a_cycle(self):
        parent = make_message(state="FAILED")
        child = make_message(parent_msg_id=parent.pk, state="FAILED")
        parent.parent_msg_id = child.pk
        parent.save(update_fields=["parent_msg_id"])
        assert ids_of(children_page(parent.pk)) == [child.pk]

    @pytest.mark.parametrize(
        "cursor", ["", "x", "6-1", "0-", "0-x", "0---1", f"0-{2**63}", "0-" + "9" * 30, "0-²"]
    )
    def test_rejects_an_invalid_cursor(self, cursor):
        with pytest.raises(Problem) as refusal:
            children_page(make_message().pk, cursor=cursor)
        assert refusal.value.errors[0].field == "cursor"

    def test_runs_a_limited_number_of_queries(self, django_assert_max_num_queries):
        parent = make_message().pk
        for _ in range(8):
            child = make_message(parent_msg_id=parent, state="FAILED").pk
            for _ in range(3):
                make_message(
                    parent_msg_id=make_message(parent_msg_id=child, state="FAILED").pk, state="FAILED"
                )
        with django_assert_max_num_queries(6):
            children_page(parent)

    def test_is_read_by_an_index(self):
        parent = make_message().pk
        make_message(parent_msg_id=make_message(parent_msg_id=parent, state="FAILED").pk, state="FAILED")
        for plan in plans(lambda: (children_page(parent), roll_up(parent))):
            assert "Seq Scan" not in plan, plan


class TestRollUp:
    def test_counts_live_and_archived_children_by_state(self):
        parent = make_message().pk
        for state in ("OK", "OK", "FAILED"):
            make_message(parent_msg_id=parent, state=state)
        make_archived_message(parent_msg_id=parent)
        found = roll_up(parent)
        assert (found.count, found.is_more, found.states) == (4, False, [("OK", 3), ("FAILED", 1)])
        assert found.has_failed

    def test_is_empty_without_children(self):
        assert roll_up(make_message().pk).count == 0

    def test_counts_up_to_the_limit(self):
        parent = make_message().pk
        make_children(parent, count=children.COUNTED + 1)
        found = roll_up(parent)
        assert (found.count, found.is_more) == (children.COUNTED, True)

    def test_is_exact_at_the_limit(self):
        parent = make_message().pk
        make_children(parent, count=children.COUNTED)
        assert (roll_up(parent).count, roll_up(parent).is_more) == (children.COUNTED, False)
