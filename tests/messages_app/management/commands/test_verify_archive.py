"""Files of the archive that are missing or differ from their digest are named, after a restored backup."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from messages_app.messages.parquet_archive.models import ColdFile, ColdPart
from tests.support.cold import into_parquet, old_message, with_traffic

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def archive(settings, tmp_path: Path) -> Path:
    """Give the folder of an archive of two parts with five files each."""
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    for _ in range(2):
        into_parquet(with_traffic(old_message()))
    return tmp_path / "archive"


def verify(capsys) -> tuple[dict, str]:
    """Return the result, and the error."""
    error = ""
    capsys.readouterr()
    try:
        call_command("verify_archive", "--json")
    except CommandError as refusal:
        error = str(refusal)
    return json.loads(capsys.readouterr().out), error


def test_a_complete_archive_is_confirmed(archive, capsys):
    size = sum(path.stat().st_size for path in archive.rglob("*.parquet"))
    assert verify(capsys) == ({"files": 10, "bytes": size, "faults": []}, "")


def test_missing_and_changed_files_are_named(archive, capsys):
    missing, changed = list(ColdFile.objects.order_by("file_id").values_list("path", flat=True))[:2]
    (archive / missing).unlink()
    (archive / changed).write_bytes((archive / changed).read_bytes()[:-1] + b"x")
    found, error = verify(capsys)
    assert found["files"] == 10
    first, second = found["faults"]
    assert missing in first
    assert second == f"The archive's file {changed} is damaged: it is not what was written."
    assert error == "Copy these files from another backup of the archive, then run this again."


def test_files_without_rows_may_be_missing(archive, capsys):
    part = ColdPart.objects.order_by("part_id").first()
    ColdPart.objects.filter(pk=part.pk).update(emptied_at="2026-01-01T00:00:00Z")
    for path in ColdFile.objects.filter(part_id=part.pk).values_list("path", flat=True):
        (archive / path).unlink()
    found, error = verify(capsys)
    assert (found["files"], found["faults"], error) == (5, [], "")


def test_without_an_archive_there_is_nothing_to_check(archive, capsys):
    ColdFile.objects.all().delete()
    assert verify(capsys) == ({"files": 0, "bytes": 0, "faults": []}, "")
