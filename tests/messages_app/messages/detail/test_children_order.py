"""The order and the pages of a family whose rows were stored in another order."""

import pytest

from messages_app.messages.detail import children as children_pages
from messages_app.messages.detail.children import children_page, roll_up
from messages_app.messages.detail.tree import find_family
from messages_app.messages.models import ArchiveMessage
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db

# By part of the list of children: the state, and whether the child is archived.
PARTS = [
    ("FAILED", False),
    ("PARTLY_FAILED", True),
    ("WAITING", False),
    ("CANCEL", True),
    ("OK", False),
    ("OK", True),
]
PARENT, OTHER = 5_000, 6_000


def store_child(msg_id: int, *, parent: int, state: str, is_archived: bool) -> None:
    make = make_archived_message if is_archived else make_message
    make(msg_id=msg_id, parent_msg_id=parent, state=state)


@pytest.fixture
def children() -> list[int]:
    """Store three children in each part of two parents, the last ones first; return those of one in order."""
    ids = []
    for parent in (OTHER, PARENT):
        make_message(msg_id=parent)
    for part in reversed(range(len(PARTS))):
        state, is_archived = PARTS[part]
        for place in (2, 1, 0):
            msg_id = 900 - 100 * part + 2 * place
            store_child(msg_id, parent=PARENT, state=state, is_archived=is_archived)
            store_child(msg_id + 1, parent=OTHER, state=state, is_archived=is_archived)
            ids.insert(0, msg_id)
    return ids


class TestChildrenPage:
    def test_leads_to_each_child_of_the_parent_once_in_the_order_of_parts_and_ids(
        self, children, monkeypatch
    ):
        monkeypatch.setattr(children_pages, "PAGE", 2)
        shown, cursor = [], None
        while cursor != "":
            page = children_page(PARENT, cursor=cursor)
            shown += [branch.relative.msg_id for branch in page.below]
            cursor = page.cursor
        assert children[:3] == [900, 902, 904]
        assert shown == children

    def test_opens_children_of_each_branch_in_their_order(self, children, monkeypatch):
        monkeypatch.setattr(children_pages, "PAGE_BELOW", 4)
        for parent in (OTHER, PARENT):
            store = {"parent": 10, "state": "FAILED", "is_archived": True}
            ArchiveMessage.objects.filter(pk=parent).delete()
            store_child(parent + 10, **store)
        ArchiveMessage.objects.filter(parent_msg_id=OTHER).update(parent_msg_id=OTHER + 10)
        ArchiveMessage.objects.filter(parent_msg_id=PARENT).update(parent_msg_id=PARENT + 10)
        below = [[child.relative.msg_id for child in branch.below] for branch in children_page(10).below]
        assert below == [[800, 802, 804, 600], [801, 803, 805, 601]]


class TestFamily:
    def test_has_the_first_members_of_each_level_by_their_ids(self, children):
        nodes = [(node.msg_id, node.depth) for node in find_family(PARENT).nodes]
        live = sorted(msg_id for msg_id in children if msg_id // 100 in (9, 7, 5))
        archived = sorted(msg_id for msg_id in children if msg_id // 100 in (8, 6, 4))
        assert nodes == [(PARENT, 0), *((msg_id, 1) for msg_id in live + archived)]

    def test_has_each_member_of_an_archived_cycle_once(self):
        make_archived_message(msg_id=70, parent_msg_id=90)
        make_archived_message(msg_id=80, parent_msg_id=70)
        make_archived_message(msg_id=90, parent_msg_id=80)
        assert [(node.msg_id, node.depth) for node in find_family(80).nodes] == [(70, 0), (80, 1), (90, 2)]


class TestRollUp:
    def test_counts_the_children_of_one_parent(self, children):
        counts = roll_up(PARENT)
        assert (counts.count, counts.states) == (
            18,
            [("OK", 6), ("CANCEL", 3), ("FAILED", 3), ("PARTLY_FAILED", 3), ("WAITING", 3)],
        )
