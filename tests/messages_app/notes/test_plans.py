"""The queries of notes on 200 000 of them: each is read by an index."""

from datetime import timedelta

import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.notes.models import NoteKind
from messages_app.notes.selectors import count_new_mentions, latest_notes, notes_mentioning, notes_on
from tests.support.factories import make_user
from tests.support.plans import faults_in, reads_of

pytestmark = pytest.mark.django_db

_MANY = """
INSERT INTO note (kind, subject, author, text, at)
SELECT (ARRAY['message', 'incident', 'job', 'shift'])[1 + n %% 4],
       CASE n %% 4 WHEN 3 THEN 0 ELSE n / 40 END, 'ada', 'text', now() - n * interval '1 minute'
  FROM generate_series(1, 200000) AS n;
INSERT INTO note_mention (note_id, user_id) SELECT note_id, %s FROM note WHERE note_id %% 2 = 0;
ANALYZE note, note_mention;
"""


def test_read_by_an_index():
    user, sent = make_user(username="bob"), []
    with connection.cursor() as cursor:
        cursor.execute(_MANY, [user.pk])
    with connection.execute_wrapper(reads_of(sent)):
        notes_on(NoteKind.MESSAGE, 100)
        notes_on(NoteKind.SHIFT, since=database_clock() - timedelta(days=2))
        assert notes_mentioning(user)
        count_new_mentions(user)
        latest_notes(NoteKind.INCIDENT, [100, 101])
    assert faults_in(sent, most_rows=500) == []
