import pytest
from django.http import QueryDict

from messages_app.messages.filtering import filters
from messages_app.messages.listing.counting import Counted, count
from tests.factories import make_message, make_messages

pytestmark = pytest.mark.django_db


class TestCount:
    def test_counts(self):
        make_message(state="FAILED")
        make_message()
        wanted = filters.parse(QueryDict("state=FAILED"), user=None)
        assert count(wanted) == Counted(number=1, is_exact=True)

    def test_estimates_when_counting_takes_too_long(self):
        make_messages(50_000)
        counted = count(filters.parse(QueryDict("source_system=CRM"), user=None), timeout_ms=1)
        assert not counted.is_exact
        assert 45_000 < counted.number < 55_000
