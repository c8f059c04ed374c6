"""
The commands of docs/howto/backup_and_restore.md, as written: with an erasure and a job after the backup.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from hubconsole.devserver.postgres import binary_path
from messages_app.audit.models import AuditSeal
from messages_app.audit.seals import seal_entries
from messages_app.messages.models import Message
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage
from tests.hubconsole.console import REPOSITORY
from tests.messages_app.erasure.runs import run as erase
from tests.support.cold import to_parquet
from tests.support.databases import another_database
from tests.support.oracle import Oracle
from tests.support.subjects import KEY, OTHER, holding, make_message, with_traffic
from tests.support.workers import database_of_tests

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

_PAGE = REPOSITORY / "docs/howto/backup_and_restore.md"
# The programs of an installation that a test does not have. `runuser` runs what follows `--`.
_PRELUDE = """
set -e
systemctl() { :; }
runuser() { shift 3; "$@"; }
hubconsole() { cd "$REPOSITORY"; "$PYTHON" manage.py "$@"; }
"""


class Page:
    """The commands of the page, with the places and names of this test."""

    def __init__(self, folder: Path, home: Path) -> None:
        text = re.sub(r"^OWNER=.*$", 'OWNER="$DATABASE_URL"', _PAGE.read_text(), flags=re.MULTILINE)
        for word, own in (
            ("/etc/", f"{folder}/etc/"),
            ("/var/lib/hubconsole", str(home)),
            ("/backup", f"{folder}/backup"),
            ("/secure", f"{folder}/secure"),
            ("DATABASE hubconsole", "DATABASE saved"),
            ("RENAME TO hubconsole_lost", "RENAME TO saved_lost"),
            ("OWNER hubconsole_owner", f"OWNER {connection.settings_dict['USER']}"),
        ):
            assert word in text, word
            text = text.replace(word, own)
        self._text = text

    def run(self, title: str, **words: str) -> str:
        """Run the commands of a step, with other words for these; return their output."""
        (step,) = re.findall(rf"^## \d\. {title}\n(.*?)(?=^## |\Z)", self._text, re.MULTILINE | re.DOTALL)
        (commands,) = re.findall(r"^```sh\n(.*?)^```", step, re.MULTILINE | re.DOTALL)
        for word, own in words.items():
            commands = commands.replace(word, own)
        owner = 'OWNER="$DATABASE_URL"\n'
        done = subprocess.run(
            ["bash", "-c", _PRELUDE + owner + commands],
            env=self._environment(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _environment(self) -> dict[str, str]:
        settings = connection.settings_dict
        return (
            os.environ
            | database_of_tests()
            | {
                "REPOSITORY": str(REPOSITORY),
                "PYTHON": sys.executable,
                "PATH": f"{Path(binary_path('pg_dump')).parent}:{os.environ['PATH']}",
                "PGHOST": settings["HOST"],
                "PGPORT": str(settings["PORT"]),
                "PGUSER": settings["USER"],
                "PGPASSWORD": settings["PASSWORD"],
                "PGDATABASE": "postgres",
            }
        )


@pytest.fixture
def page(spark_remote: str, settings, tmp_path: Path) -> Iterator[Page]:
    home = Path(settings.HUBCONSOLE_HOME)
    (home / "archive").mkdir(exist_ok=True)
    (tmp_path / "etc").mkdir()
    settings.ERASED_LIST = home / "erased.jsonl"
    lines = {
        "HUBCONSOLE_HOME": home,
        "HUBCONSOLE_ARCHIVE_URI": settings.HUBCONSOLE_ARCHIVE_URI,
        "HUBCONSOLE_ERASED_LIST": settings.ERASED_LIST,
        "DJANGO_SECRET_KEY": settings.SECRET_KEY,
        "SPARK_REMOTE": spark_remote,
    }
    (tmp_path / "etc/hubconsole.env").write_text(
        "".join(f"{name}='{value}'\n" for name, value in lines.items())
    )
    with another_database("saved", template="template0"):
        call_command("migrate", verbosity=0, interactive=False)
        yield Page(tmp_path, home)
    settings.ERASED_LIST.unlink(missing_ok=True)
    for name in ("archive", "archive_lost"):
        shutil.rmtree(home / name, ignore_errors=True)
    with connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS saved_lost WITH (FORCE)")


def make_family(key: str) -> Message:
    return with_traffic(make_message(key), key)


def last_seal() -> str:
    seal_entries()
    seal = AuditSeal.objects.latest("seal_id")
    return f"{seal.seal_id}:{seal.digest}"


def test_a_restored_console_has_everything_except_what_was_erased_since(page: Page):
    for key in (KEY, OTHER):
        make_family(key)
    assert to_parquet().done == 2
    erased = [
        make_family(KEY).pk,
        *ColdMessage.objects.filter(object_id=KEY).values_list("msg_id", flat=True),
    ]
    make_family(OTHER)
    seal = last_seal()
    oracle = Oracle()
    page.run("Back up")

    # A job after the backup. The next backup copies its files, and then the server is lost.
    assert to_parquet().done == 2
    page.run("Back up", pg_dump=": pg_dump")
    assert erase().left == []
    page.run("Copy the list of erased rows")
    assert holding(KEY) == {}

    connection.close()
    page.run("Restore")
    assert {"message", "cold_message", "archive", "request"} <= set(holding(KEY))
    assert oracle.verdict().is_clean
    page.run("Erase again")
    assert holding(KEY) == {}
    output = page.run("Check it", **{"17:6f0c...": seal})

    assert f"Checked {ColdFile.objects.count()} files" in output
    found = oracle.verdict()
    assert {row for table, row in found.lost if table == "message"} == set(erased)
    assert {table for table, _ in found.lost} == {"message", "external_call", "request", "response", "funnel"}
    assert replace(found, lost=[]).is_clean
    assert Message.objects.filter(object_id=OTHER).count() == 1
