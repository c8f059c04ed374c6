from datetime import timedelta

import pytest

from messages_app.dashboard.models import AWAY, FirstPageVisit, note_visit
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


class TestNoteVisit:
    def test_keeps_the_end_of_the_previous_visit(self):
        ada = make_user("support")
        first = note_visit(ada)
        assert (note_visit(ada).here_at, first.before_at) == (first.here_at, None)
        ago = first.here_at - timedelta(minutes=10)
        FirstPageVisit.objects.update(here_at=ago)
        assert (note_visit(ada).before_at, note_visit(ada).here_at > ago) == (None, True)
        gone = ago - AWAY
        FirstPageVisit.objects.update(here_at=gone)
        assert (note_visit(ada).before_at, note_visit(ada).before_at) == (gone, gone)
        assert note_visit(make_user("support", username="bob")).before_at is None
