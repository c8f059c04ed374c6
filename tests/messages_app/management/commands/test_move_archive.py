"""Moving the Parquet archive between folders by real Spark. tests/integrations moves it to a bucket."""

import json
from pathlib import Path

import pytest
from django.conf import settings as current_settings
from django.core.management import CommandError, call_command

from messages_app.messages.parquet_archive.models import ColdFile
from messages_app.shared.job_states import JobState
from tests.messages_app.erasure.runs import run as erase
from tests.support.cold import into_parquet, old_message, to_parquet, undo, with_traffic
from tests.support.oracle import Oracle
from tests.support.page_client import reader_of
from tests.support.subjects import KEY, make_message

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


@pytest.fixture
def former(settings, tmp_path: Path) -> Path:
    """Give the folder of an archive of two parts. The console has another one as its new address."""
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "former")
    for _ in range(2):
        into_parquet(with_traffic(old_message()))
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "new")
    settings.ARCHIVE_FORMER_URI = str(tmp_path / "former")
    return tmp_path / "former"


def new_folder() -> Path:
    return Path(current_settings.HUBCONSOLE_ARCHIVE_URI)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def in_manifest() -> set[str]:
    return set(ColdFile.objects.values_list("path", flat=True))


def move(capsys) -> dict:
    capsys.readouterr()
    call_command("move_archive", "--json")
    return json.loads(capsys.readouterr().out)


class TestMoveArchive:
    def test_moves_every_file_and_loses_no_row(self, former, capsys):
        oracle = Oracle()
        size = sum(path.stat().st_size for path in former.rglob("*.parquet"))

        assert move(capsys) == {"parts": 2, "files": 10, "bytes": size, "faults": []}

        assert (files_in(former), files_in(new_folder())) == (set(), in_manifest())
        assert str(oracle.verdict()) == ""
        assert move(capsys)["files"] == 0

    def test_leaves_messages_to_be_read_and_restored_before_it(self, settings, tmp_path):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "former")
        message = make_message()
        job = to_parquet().job
        oracle = Oracle()
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "new")
        settings.ARCHIVE_FORMER_URI = str(tmp_path / "former")

        assert KEY in reader_of("admin").get(f"/api/v1/messages/{message.pk}/payload/").content.decode()
        assert undo(job).job.state == JobState.DONE
        assert str(oracle.verdict()) == ""

    def test_lets_an_erasure_remove_files_that_are_not_moved_yet(self, settings, tmp_path, capsys):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "former")
        into_parquet(make_message())
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "new")
        settings.ARCHIVE_FORMER_URI = str(tmp_path / "former")

        assert erase().rows["cold_message"] == 1
        assert (files_in(tmp_path / "former"), in_manifest()) == (set(), set())

    def test_ends_the_work_of_a_process_that_died_between_copy_and_removal(self, former, capsys):
        first, second, *_ = sorted(in_manifest())
        for path, content in ((first, (former / first).read_bytes()), (second, b"half")):
            (new_folder() / path).parent.mkdir(parents=True, exist_ok=True)
            (new_folder() / path).write_bytes(content)

        assert move(capsys)["files"] == 9

        assert (files_in(former), files_in(new_folder())) == (set(), in_manifest())
        assert str(Oracle().verdict()) == ""

    def test_leaves_a_damaged_file_and_names_it(self, former, capsys):
        damaged = sorted(in_manifest())[0]
        content = (former / damaged).read_bytes()
        (former / damaged).write_bytes(content[:-1] + b"?")

        with pytest.raises(CommandError, match="Run this again") as failed:
            call_command("move_archive")

        assert failed.value.returncode == 1
        assert f"The archive's file {damaged} is damaged" in capsys.readouterr().out
        assert damaged in files_in(former)
        (former / damaged).write_bytes(content)
        call_command("move_archive")
        assert (files_in(former), files_in(new_folder())) == (set(), in_manifest())

    def test_refuses_one_place_under_two_addresses(self, former, settings, tmp_path):
        (tmp_path / "other-name").symlink_to(former)
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "other-name")
        with pytest.raises(CommandError, match="are the same place"):
            call_command("move_archive")
        assert files_in(former) == in_manifest()

    def test_needs_the_address_to_move_from(self):
        with pytest.raises(CommandError, match="Set HUBCONSOLE_ARCHIVE_FORMER_URI"):
            call_command("move_archive")

    def test_changes_nothing_in_a_dry_run(self, former, capsys):
        call_command("move_archive", "--dry-run")
        assert capsys.readouterr().out.startswith("2 parts would be checked, and moved from ")
        assert (files_in(former), files_in(new_folder())) == (in_manifest(), set())
