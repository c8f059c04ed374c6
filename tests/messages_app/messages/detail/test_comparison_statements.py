"""Each condition of the search for the last message that ended OK has a row that only it leaves out."""

import pytest

from messages_app.messages.detail.comparison import statements
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db

ASKED = {"operation_name": "createInvoice", "service_name": "billing", "state": "OK", "most": 99}


@pytest.mark.parametrize("is_archived", [False, True], ids=["live", "archived"])
class TestLastOk:
    @pytest.fixture(autouse=True)
    def _messages(self, is_archived):
        make = make_archived_message if is_archived else make_message
        other = make_message if is_archived else make_archived_message
        for msg_id in (10, 20, 30, 40):
            make(msg_id=msg_id, state="OK")
        other(msg_id=35, state="OK")
        make(msg_id=36, state="OK", service_name="orders")
        make(msg_id=37, state="FAILED")
        make(msg_id=38, state="OK", operation_name="createOrder")

    @pytest.mark.parametrize(
        ("above", "below", "expected"),
        [(0, 40, 30), (0, 41, 40), (30, 40, None), (29, 40, 30), (10, 30, 20), (9, 20, 10), (40, 99, None)],
    )
    def test_is_the_newest_one_between_two_ids(self, is_archived, above, below, expected):
        name = "last_ok_archived" if is_archived else "last_ok_live"
        row = statements.fetch_row(name, ASKED | {"above": above, "below": below})
        assert (row and row[0]) == expected

    def test_is_searched_among_the_newest(self, is_archived):
        name = "last_ok_archived" if is_archived else "last_ok_live"
        # Live messages of other operations are not in the way, because an index leaves them out.
        newer = 3 if is_archived else 2
        asked = ASKED | {"above": 0, "below": 40}
        assert statements.fetch_row(name, asked | {"most": newer}) is None
        assert statements.fetch_row(name, asked | {"most": newer + 1}) == (30,)
