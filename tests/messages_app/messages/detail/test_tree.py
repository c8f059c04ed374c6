import pytest
from django.db import connection

from messages_app.core.problems import Problem
from messages_app.messages.detail import tree
from messages_app.messages.detail.tree import children_page, find_ancestors, find_family, roll_up
from messages_app.messages.models import Message
from messages_app.messages.tables import MessageNotFound
from tests.messages_app.messages.detail.rows import make_children, plans
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db


def make_chain(length: int) -> list[int]:
    """Store a line of this many messages, each a child of the previous one."""
    ids = [make_message().pk]
    for _ in range(length - 1):
        ids.append(make_message(parent_msg_id=ids[-1]).pk)
    return ids


def make_cycle(length: int) -> list[int]:
    ids = make_chain(length)
    Message.objects.filter(pk=ids[0]).update(parent_msg_id=ids[-1])
    return ids


class TestAncestors:
    def test_lead_from_the_message_to_the_top(self):
        ids = make_chain(4)
        line = find_ancestors(ids[-1])
        assert [member.msg_id for member in line.members] == ids[::-1]
        assert (line.root, line.missing, line.circle_at, line.is_cut) == (ids[0], None, None, False)

    def test_continue_in_the_archive(self):
        top = make_archived_message()
        child = make_message(parent_msg_id=top.pk)
        assert [(member.msg_id, member.archived) for member in find_ancestors(child.pk).members] == [
            (child.pk, False),
            (top.pk, True),
        ]

    def test_name_a_parent_that_no_longer_exists(self):
        message = make_message(parent_msg_id=77)
        assert (find_ancestors(message.pk).missing, find_ancestors(message.pk).root) == (77, message.pk)

    def test_end_at_a_cycle(self):
        ids = make_cycle(3)
        child = make_message(parent_msg_id=ids[1])
        line = find_ancestors(child.pk)
        assert (line.circle_at, line.root, line.missing) == (ids[1], min(ids), None)
        assert len(line.members) == 4

    def test_end_at_a_message_that_is_its_own_parent(self):
        (own,) = make_cycle(1)
        assert (find_ancestors(own).circle_at, find_ancestors(own).root) == (own, own)

    def test_are_bounded(self):
        ids = make_chain(5)
        line = find_ancestors(ids[-1], most=2)
        assert ([member.msg_id for member in line.members], line.is_cut) == (ids[:1:-1], True)

    def test_raise_for_an_unknown_id(self):
        with pytest.raises(MessageNotFound):
            find_ancestors(2**63 - 1)


class TestFamily:
    def test_has_every_member_once_level_by_level(self):
        root = make_message(state="WAITING")
        hard = make_message(parent_msg_id=root.pk, parent_binding_type="HARD", state="FAILED")
        old = make_archived_message(parent_msg_id=root.pk, parent_binding_type="SOFT")
        below = make_message(parent_msg_id=hard.pk)
        make_message()
        for member in (root, hard, old, below):
            found = find_family(member.pk)
            assert (found.root, found.truncated) == (root.pk, False)
            assert [(node.depth, node.msg_id, node.archived) for node in found.nodes] == [
                (0, root.pk, False),
                (1, hard.pk, False),
                (1, old.pk, True),
                (2, below.pk, False),
            ]
        assert [(node.state, node.parent_msg_id, node.parent_binding_type) for node in found.nodes[:2]] == [
            ("WAITING", None, None),
            ("FAILED", root.pk, "HARD"),
        ]

    @pytest.mark.parametrize("length", [1, 2, 5])
    def test_ends_at_a_cycle(self, length):
        ids = make_cycle(length)
        child = make_message(parent_msg_id=ids[0])
        for member in (*ids, child.pk):
            found = find_family(member)
            assert found.root == min(ids)
            assert sorted(node.msg_id for node in found.nodes) == sorted([*ids, child.pk])

    def test_begins_below_a_parent_that_no_longer_exists(self):
        message = make_message(parent_msg_id=77)
        assert [node.msg_id for node in find_family(message.pk).nodes] == [message.pk]

    def test_is_bounded(self):
        parent = make_message()
        make_children(parent.pk, count=10)
        found = find_family(parent.pk, most=4)
        assert (len(found.nodes), found.truncated) == (4, True)
        assert not find_family(parent.pk, most=11).truncated

    def test_has_five_thousand_children(self):
        parent = make_message()
        make_children(parent.pk, count=5000)
        found = find_family(5_000_001)
        assert (found.root, len(found.nodes), found.truncated) == (parent.pk, 5001, False)

    def test_has_thousands_of_levels(self):
        first = make_message().pk
        make_children(first, count=3000)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE message SET parent_msg_id = msg_id - 1 WHERE msg_id > 5000000")
        found = find_family(first)
        assert (len(found.nodes), found.nodes[-1].depth) == (3001, 3000)

    def test_is_read_by_an_index(self):
        message = make_message(parent_msg_id=make_message().pk)
        for plan in plans(lambda: find_family(message.pk)):
            assert "Seq Scan" not in plan, plan


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
        assert len(branch.below) == tree.PAGE_BELOW
        assert branch.cursor
        assert ids_of(children_page(child, cursor=branch.cursor))[0] == 5_000_000 + tree.PAGE_BELOW

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
        make_children(parent, count=tree.COUNTED + 1)
        found = roll_up(parent)
        assert (found.count, found.is_more) == (tree.COUNTED, True)

    def test_is_exact_at_the_limit(self):
        parent = make_message().pk
        make_children(parent, count=tree.COUNTED)
        assert (roll_up(parent).count, roll_up(parent).is_more) == (tree.COUNTED, False)
