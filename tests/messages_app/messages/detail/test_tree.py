import pytest
from django.db import connection

from messages_app.messages.detail.tree import find_ancestors, find_family
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
