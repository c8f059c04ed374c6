"""`attach` without --time-zone takes a zone only if the hub is writing in it now."""

import os
import pty
import re
import sys
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.messages.attachment import current_attachment
from tests.support.databases import schema
from tests.support.hubs import hub_database

GIVE = "give the time zone of the hub's Java process with --time-zone, for example Europe/Prague."


def run(statement: str, *values: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(autouse=True)
def _hub(django_db_setup, django_db_blocker, settings) -> Iterator[None]:
    settings.HUB_TIME_ZONE = ""
    with django_db_blocker.unblock(), hub_database("CleverBus 2.0"):
        yield


def _write_now(zone: str, *, minutes_ago: int = 0) -> None:
    """Let the hub write a message in this zone, and have no newer one."""
    run(
        "UPDATE message SET last_update_timestamp = timezone(%s, now()) - make_interval(mins => %s)"
        " WHERE msg_id = (SELECT max(msg_id) FROM message)",
        zone,
        minutes_ago,
    )


def _move_server_to(zone: str) -> None:
    run(f"ALTER DATABASE hub SET timezone = '{zone}'")
    connection.close()


def attach(*words: str) -> str:
    output = StringIO()
    call_command("attach", "public", *words, stdout=output, stderr=StringIO())
    return output.getvalue()


def _type(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a user of a terminal type this."""
    terminal, end = pty.openpty()
    os.write(terminal, f"{text}\n".encode())
    monkeypatch.setattr(sys, "stdin", os.fdopen(end))


class TestAttach:
    def test_takes_utc_if_the_hub_writes_in_it_now(self):
        _write_now("UTC")
        assert re.search(r"with times of UTC: the newest is (now|in \d s|\d s ago)", attach())
        assert current_attachment().time_zone == "UTC"

    def test_takes_the_zone_of_the_server_if_the_hub_writes_in_it_now(self):
        _move_server_to("Asia/Kolkata")
        _write_now("Asia/Kolkata", minutes_ago=1)
        assert "with times of Asia/Kolkata" in attach()
        assert current_attachment().time_zone == "Asia/Kolkata"

    def test_refuses_a_hub_that_is_idle(self):
        _write_now("UTC", minutes_ago=165)
        before = schema()
        with pytest.raises(CommandError) as refused:
            attach()
        assert str(refused.value) == (
            f"Nothing was created: {GIVE} Its newest time would be 2 h 45 min old in UTC."
        )
        assert schema() == before

    def test_names_the_zone_of_the_server_too(self):
        _move_server_to("Asia/Kolkata")
        _write_now("UTC", minutes_ago=100)
        with pytest.raises(CommandError, match="100 min old in UTC or 7 h 10 min old in Asia/Kolkata"):
            attach()

    def test_refuses_two_zones_with_the_same_time(self):
        _move_server_to("Africa/Abidjan")
        _write_now("UTC")
        with pytest.raises(CommandError, match=r"\d s old in UTC or \d s old in Africa/Abidjan"):
            attach()

    def test_refuses_a_hub_without_messages(self):
        run("TRUNCATE message CASCADE")
        with pytest.raises(CommandError, match="The hub has no message yet that would show it"):
            attach()

    def test_refuses_times_of_which_the_newest_is_infinite(self):
        run("UPDATE message SET last_update_timestamp = 'infinity'")
        with pytest.raises(CommandError, match="The hub has no message yet that would show it"):
            attach()

    def test_asks_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch):
        _write_now("Asia/Tokyo", minutes_ago=165)
        _type("Asia/Tokyo", monkeypatch)
        assert "with times of Asia/Tokyo: the newest is 2 h ago" in attach()
        assert current_attachment().time_zone == "Asia/Tokyo"

    @pytest.mark.parametrize("answer", ["", "Prague"])
    def test_takes_no_other_answer(self, monkeypatch: pytest.MonkeyPatch, answer: str):
        _write_now("UTC", minutes_ago=165)
        _type(answer, monkeypatch)
        with pytest.raises(CommandError, match="Nothing was created: unknown time zone"):
            attach()

    def test_does_not_ask_again(self):
        _write_now("UTC", minutes_ago=165)
        attach("--time-zone", "Europe/Prague")
        assert "with times of Europe/Prague" in attach("--create-triggers")

    def test_warns_in_a_dry_run(self):
        _write_now("UTC", minutes_ago=165)
        told = attach("--dry-run")
        assert f"warning    {GIVE} Its newest time would be 2 h 45 min old in UTC.\n" in told
