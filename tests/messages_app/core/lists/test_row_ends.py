import pytest

from messages_app.core.lists.row_ends import fetch_ends
from messages_app.messages.models import Message
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


class TestEnds:
    @pytest.mark.parametrize("count", [0, 1, 3, 4])
    def test_are_everything_where_that_is_little(self, count):
        ids = [make_message().pk for _ in range(count)]
        found = fetch_ends(Message.objects.all(), "msg_id", each_end=2)
        assert [row.pk for row in found] == ids
        assert not found.is_cut

    def test_leave_out_the_middle(self):
        ids = [make_message().pk for _ in range(5)]
        found = fetch_ends(Message.objects.all(), "msg_id", each_end=2)
        assert [row.pk for row in found.first] == ids[:2]
        assert [row.pk for row in found.last] == ids[-2:]
        assert (found.is_cut, len(found)) == (True, 4)
