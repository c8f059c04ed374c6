import json
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from hubconsole.celery import app
from messages_app.access.provider_settings import Provider
from messages_app.audit.privileges import Part
from messages_app.audit.stream.addresses import read_receiver
from messages_app.audit.stream.models import AuditStream
from tests.hubconsole.console import Console
from tests.messages_app.audit.parts import roles, running_as  # noqa: F401 (a fixture)
from tests.support.servers import Servers


@pytest.mark.django_db(transaction=True)
class TestDoctor:
    def test_reports_errors_and_what_to_do(self, capsys, settings):
        settings.SPARK_REMOTE = "sc://127.0.0.1:1"
        with pytest.raises(CommandError, match="do not work: beat, workers, spark") as failed:
            call_command("doctor")
        lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        assert failed.value.returncode == 1
        assert lines["database"] == lines["archive"] == "ok"
        assert lines["workers"].startswith(
            "FAILED: no worker of short and spark and store answered within a second. Start `celery"
        )
        assert lines["rights"] == lines["spark_role"] == "ok"
        assert lines["spark"].startswith("FAILED: the Spark Connect server does not answer. Start it")

    @pytest.mark.parametrize(
        ("name", "setting"), [("archive", "HUBCONSOLE_ARCHIVE_URI"), ("exports", "EXPORT_URI")]
    )
    def test_writes_to_the_storages_of_the_archive_and_of_exports(
        self, capsys, settings, monkeypatch, name, setting
    ):
        for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(variable, "of-a-test")
        settings.S3_ENDPOINT = "http://127.0.0.1:1"
        setattr(settings, setting, f"s3://hub/{name}")
        with pytest.raises(CommandError, match=name):
            call_command("doctor")
        lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        assert lines[name].startswith(
            f"FAILED: the storage of the {name} cannot be used:"
            f" s3://hub/{name} does not answer: no connection"
        )
        assert ".. Check" not in lines[name]
        assert lines[name].endswith(", its credentials and rights (docs/howto/object_store.md).")

    def test_leaves_folders_of_files_to_the_user_of_the_first_job(self, capsys, settings, tmp_path):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
        settings.EXPORT_URI = str(tmp_path / "exports")
        with pytest.raises(CommandError):
            call_command("doctor")
        printed = capsys.readouterr().out
        assert re.search(r"^archive +ok$", printed, re.MULTILINE)
        assert re.search(r"^exports +ok$", printed, re.MULTILINE)
        assert list(tmp_path.iterdir()) == []

    def test_asks_identity_providers_and_the_stream_of_the_audit_log(self, capsys, settings):
        settings.OIDC_PROVIDERS = {}
        settings.AUDIT_STREAM = read_receiver("syslog+tcp://127.0.0.1:1")
        with pytest.raises(CommandError):
            call_command("doctor")
        lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        assert lines["provider"] == "ok, none is set up; users have local accounts"
        assert lines["stream"] == "ok"
        AuditStream.objects.create(
            stream_id=1, seal_id=0, error="nothing listens", failing_since=Now() - timedelta(minutes=11)
        )
        settings.OIDC_PROVIDERS = {
            "oidc": Provider(
                key="oidc", name="Bank ID", issuer="http://127.0.0.1:1", client_id="hub", client_secret="s"
            )
        }
        assert lines["hardening"] == "ok, not needed: only this machine reaches the console"
        with pytest.raises(CommandError, match="provider, stream"):
            call_command("doctor")
        lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        assert lines["provider"].startswith("FAILED: Bank ID cannot be reached: no connection. Check")
        assert lines["stream"].startswith("FAILED: nothing listens. Check HUBCONSOLE_AUDIT_STREAM")

    def test_connects_to_spark_with_the_token(self, capsys, settings, spark_remote):
        settings.SPARK_REMOTE = spark_remote.replace("token=", "token=an-older-one-")
        with pytest.raises(CommandError, match="do not work: beat, workers, spark"):
            call_command("doctor")
        told = capsys.readouterr().out
        assert "FAILED: the Spark Connect server rejects the console. Set " in told
        assert "an-older-one" not in told
        settings.SPARK_REMOTE = spark_remote
        with pytest.raises(CommandError, match="do not work: beat, workers\\."):
            call_command("doctor")

    @pytest.mark.usefixtures("roles")
    def test_says_which_rights_the_role_of_another_part_lacks(self, capsys, caplog):
        with running_as(Part.SPARK), pytest.raises(CommandError):
            call_command("doctor")
        printed = capsys.readouterr()
        lines = dict(line.split(maxsplit=1) for line in printed.out.splitlines())
        assert lines["beat"].startswith(
            "FAILED: permission denied for table django_celery_beat_periodictask. Run this with the"
            " DATABASE_URL of web or of a worker."
        )
        assert "cannot be reached" not in printed.out
        assert "Traceback" not in printed.err + caplog.text

    def test_answers_programs_the_same_way(self, capsys):
        with pytest.raises(CommandError):
            call_command("doctor", "--json")
        found = json.loads(capsys.readouterr().out)
        assert found["database"] == {"ok": True}
        assert set(found["beat"]) == {"ok", "why", "do"}

    def test_does_not_report_disabled_parts_as_faults(self, capsys):
        DatabaseScheduler(app=app)
        PeriodicTask.objects.filter(name="seal-audit").update(enabled=False)
        with pytest.raises(CommandError, match="do not work: workers"):
            call_command("doctor")
        lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        assert lines["beat"] == "ok, disabled in django_celery_beat_periodictask: seal-audit"


def test_has_one_line_for_each_part_while_nothing_runs(servers: Servers):
    console = Console(servers.home)
    try:
        ended = console.run("doctor")
    finally:
        console.remove()
    lines = ended.stdout.splitlines()
    assert ended.returncode == 1
    assert len(lines) == 22
    assert re.match(
        r"database   FAILED: cannot be reached \(.*refused\)\. Start PostgreSQL or correct", lines[0]
    )
    broker = next(line for line in lines if line.startswith("broker"))
    assert re.match(
        r"broker     FAILED: cannot be reached \(.*refused\)\. Start it, or set CELERY_BROKER_URL", broker
    )
    assert re.fullmatch(r"CommandError: 1[56] of 22 do not work: database, .*\n", ended.stderr)
