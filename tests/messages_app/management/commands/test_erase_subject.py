import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.erasure.keys import Key
from messages_app.messages.models import Message
from tests.messages_app.erasure.runs import as_process, may_run, run, waiting
from tests.support.eventually import eventually
from tests.support.histories import make_trigger, store_both
from tests.support.subjects import (
    KEY,
    OTHER,
    RECORDS,
    all_rows,
    changed_since,
    holding,
    make_message,
    rows_without,
    with_traffic,
)
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

ROLE = "hubconsole_tests_erasing"


@pytest.fixture(autouse=True)
def erased_list(settings, tmp_path) -> Path:
    settings.ERASED_LIST = tmp_path / "erased.jsonl"
    return settings.ERASED_LIST


def told(*arguments: str) -> dict:
    out = io.StringIO()
    call_command("erase_subject", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def refusal(*arguments: str) -> tuple[int, str]:
    """Return the exit status and the error of a refused command."""
    with pytest.raises(CommandError) as error:
        call_command("erase_subject", *arguments)
    return error.value.returncode, str(error.value)


@contextmanager
def held(table: str) -> Iterator[None]:
    """Lock a table against all changes."""
    with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
        other.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
        yield
        other.rollback()


class TestCommand:
    def test_reports_rows_that_would_be_erased_and_then_erases_them(self):
        with_traffic(make_message())
        would = told(KEY, "--dry-run")
        assert Message.objects.count() == 1
        did = told(KEY, "--yes", "--reason", "asked by letter")
        assert would == did | {"dry_run": True}
        [subject] = did["subjects"]
        assert subject["subject"] == Key(KEY).digest
        assert subject["rows"]["message"] == 1
        assert subject["rows"]["response"] == 2
        assert (subject["left"], subject["found_again"]) == ([], {})
        assert AuditEntry.objects.get(action="erase_subject").reason == "asked by letter"

    def test_guides_a_reader_place_by_place(self, capsys):
        with_traffic(make_message())
        call_command("erase_subject", KEY, "--dry-run")
        assert "response              2  would be erased" in capsys.readouterr().out
        call_command("erase_subject", KEY, "--yes")
        assert "response              2  erased" in capsys.readouterr().out
        call_command("erase_subject", KEY, "--yes")
        assert capsys.readouterr().out == "Nothing was found that could be erased.\n"

    def test_exits_with_3_if_rows_are_left_and_shows_what_to_do(self, capsys):
        message = make_message(state="WAITING")
        code, text = refusal(KEY, "--yes")
        assert (code, text) == (3, "Not erased: 1. Each line says what to do. Then run this again.")
        assert (
            f"Not erased: message {message.pk}: it is WAITING: wait until it is final"
            in capsys.readouterr().out
        )

    @pytest.mark.slow
    def test_names_the_key_nowhere(self, capfd, erased_list):
        make_trigger()
        store_both(uuid=KEY)
        with_traffic(make_message())
        make_message(state="WAITING")
        process = as_process(KEY, "--yes", "--reason", "asked")
        out, err = process.communicate()
        assert process.returncode == 3
        assert KEY not in out + err + erased_list.read_text()
        assert KEY not in str(list(AuditEntry.objects.values()))

    @pytest.mark.slow
    def test_reads_the_key_from_its_input(self):
        make_message()
        process = as_process("-", "--yes")
        _, err = process.communicate(f"{KEY}\n")
        assert process.returncode == 0, err
        assert not Message.objects.exists()

    @pytest.mark.slow
    def test_never_asks_a_user_who_cannot_answer(self):
        make_message()
        process = as_process(KEY)
        _, err = process.communicate("erase\n")
        assert process.returncode == 2
        assert "run with --dry-run first, then with --yes" in err
        assert Message.objects.exists()

    @pytest.mark.parametrize(
        ("arguments", "code", "why"),
        [
            ((), 2, "Give a KEY, or --again FILE, and not both."),
            (("x", "--again", "y"), 2, "Give a KEY, or --again FILE, and not both."),
            (("", "--yes"), 2, "The key is empty."),
            (("  ", "--yes"), 2, "The key is empty."),
            (("k" * 10_000, "--yes"), 2, "The key has 10000 characters; the maximum is 500."),
            (("a\0b", "--yes"), 2, "The key must not contain NUL."),
            (("a\udcff", "--yes"), 2, "The key is not UTF-8."),
            (("x", "--yes", "--reason", "r" * 1001), 2, "--reason: at most 1000 characters, without NUL."),
            (("x", "--yes", "--reason", "a\0"), 2, "--reason: at most 1000 characters, without NUL."),
            (("Ada L", "--yes", "--reason", "of Ada L."), 2, "--reason must not name the subject"),
            (("--again", "/nowhere/list", "--yes"), 2, "/nowhere/list cannot be read: No such file"),
            (
                ("--again", "pyproject.toml", "--yes"),
                2,
                "Line 1 of pyproject.toml is not a valid erasure record",
            ),
            (("--again", ".", "--yes"), 2, "cannot be read: Is a directory"),
        ],
    )
    def test_refuses_invalid_keys(self, arguments, code, why):
        make_message()
        before = all_rows()
        found, text = refusal(*arguments)
        assert (found, why in text) == (code, True), text
        assert all_rows() == before

    def test_is_for_the_owner_of_the_tables_and_the_part_that_erases(self):
        make_message()
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD 'of the tests'")
        try:
            call_command("grant", ROLE)
            with connection.cursor() as cursor:
                cursor.execute(f"SET ROLE {ROLE}")
            for how in ("--yes", "--dry-run"):
                code, text = refusal(KEY, how)
                assert code == 1
                why = "Run this as the owner of the tables or the role of the part erase."
                assert text == f"The role {ROLE} has no permission to erase. {why}"
            assert Message.objects.exists()
        finally:
            with connection.cursor() as cursor:
                cursor.execute(f"RESET ROLE; DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")

    def test_is_refused_while_another_one_is_running(self):
        with psycopg.connect(database_of_tests()["DATABASE_URL"], autocommit=True) as other:
            other.execute("SELECT pg_advisory_lock(hashtextextended('hubconsole erasing', 0))")
            assert refusal(KEY, "--yes") == (1, "Another erasure is running. Wait until it finishes.")

    def test_finishes_its_work_when_it_is_run_again_after_a_kill(self):
        make_trigger()
        for uuid in (KEY, OTHER):
            store_both(uuid=uuid)
            with_traffic(make_message(uuid), uuid)
        before = rows_without(KEY)
        with held("document_content"):  # the run reaches this table after the messages
            process = as_process(KEY, "--yes")
            # On a busy machine the process takes a minute to start.
            eventually(lambda: not Message.objects.filter(object_id=KEY).exists(), seconds=120)
            eventually(waiting)
            process.kill()
            process.communicate()
        eventually(may_run)
        assert set(holding(KEY)) == {"document_history"}
        [subject] = told(KEY, "--yes")["subjects"]
        assert subject["rows"] == {"document_history": 2}
        assert holding(KEY) == {}
        assert set(changed_since(before, KEY)) == RECORDS

    def test_waits_for_a_locked_row_and_finally_keeps_it(self):
        message = make_message()
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
            other.execute("SELECT 1 FROM message FOR UPDATE")
            code, _ = refusal(KEY, "--yes")
            other.rollback()
        assert code == 3
        assert Message.objects.filter(pk=message.pk).exists()
        assert run().rows["message"] == 1

    def test_erases_nothing_that_it_cannot_record(self, settings, tmp_path):
        (tmp_path / "file").write_text("")
        settings.ERASED_LIST = tmp_path / "file" / "erased.jsonl"
        make_message()
        code, text = refusal(KEY, "--yes")
        assert (code, KEY in text) == (1, False)
        assert "Run this again" in text
        assert Message.objects.count() == 1
        assert not AuditEntry.objects.exists()
