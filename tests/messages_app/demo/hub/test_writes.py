import json
from pathlib import Path

import pytest
from django.db import connection

from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.messages_app.demo.hub.playing import fresh, make_stage, state_of
from tests.support.factories import make_message
from tests.support.hub import changes_in

pytestmark = pytest.mark.django_db


class TestOverwrite:
    def test_checks_no_state_and_writes_back_every_column(self, stage):
        message = make_message(state=MessageState.PROCESSING, failed_count=2)
        copy = fresh(message)
        Message.objects.filter(pk=message.pk).update(state=MessageState.CANCEL, custom_data="meanwhile")

        assert stage.book.overwrite_row(copy, state=MessageState.OK)

        row = fresh(message)
        assert (row.state, row.custom_data, row.failed_count) == (MessageState.OK, None, 2)
        assert row.last_process_timestamp is not None

    def test_reports_that_the_row_is_gone(self, stage):
        message = make_message()
        copy = fresh(message)
        message.delete()
        assert not stage.book.overwrite_row(copy, state=MessageState.OK)


class TestOverwriteOnlyInAState:
    def test_leaves_a_row_that_has_another_state(self, stage):
        message = make_message(state=MessageState.CANCEL)
        assert not stage.book.overwrite_row(
            fresh(message), MessageState.PROCESSING, state=MessageState.WAITING
        )
        assert state_of(message) == MessageState.CANCEL


class TestTransaction:
    def test_logs_what_it_changed_before_it_is_committed(self, tmp_path: Path):
        path = tmp_path / "log"
        stage = make_stage(log=path)
        message = make_message()
        with stage.book.open_transaction():
            stage.book.overwrite_row(message, state=MessageState.OK)
            assert path.read_text() == ""
        line = json.loads(path.read_text())
        assert line["changed"] == {"message": [message.pk]}
        assert changes_in(path).changed == {("message", message.pk)}

    def test_logs_no_failed_writes(self, tmp_path: Path):
        stage = make_stage(log=tmp_path / "log")
        message = make_message()

        def write() -> None:
            with stage.book.open_transaction():
                stage.book.overwrite_row(message, state=MessageState.OK)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            write()
        assert (tmp_path / "log").read_text() == ""
        assert state_of(message) == MessageState.NEW


class TestNextId:
    def test_never_returns_an_id_twice(self, stage):
        given = [stage.book.next_id() for _ in range(100)]
        with connection.cursor() as cursor:
            cursor.execute("SELECT nextval('hibernate_sequence')")
            assert len({*given, cursor.fetchone()[0]}) == 101
