import os
from pathlib import Path

import pytest
from celery.signals import heartbeat_sent
from django_celery_beat.schedulers import DatabaseScheduler

from hubconsole.beat_scheduler import Scheduler
from hubconsole.celery import app
from hubconsole.pulse import connect_pulse

LONG_AGO = 1_000_000_000


@pytest.fixture
def pulse(tmp_path, monkeypatch) -> Path:
    file = tmp_path / "pulse"
    monkeypatch.setenv("HUBCONSOLE_PULSE_FILE", str(file))
    file.touch()
    os.utime(file, (LONG_AGO, LONG_AGO))
    return file


class TestWorker:
    def test_renews_the_file_with_each_heartbeat(self, pulse, monkeypatch):
        monkeypatch.setattr(heartbeat_sent, "receivers", [])
        connect_pulse()
        heartbeat_sent.send(sender=None)
        assert pulse.stat().st_mtime > LONG_AGO

    def test_does_nothing_without_the_setting(self, monkeypatch):
        monkeypatch.delenv("HUBCONSOLE_PULSE_FILE", raising=False)
        monkeypatch.setattr(heartbeat_sent, "receivers", [])
        connect_pulse()
        assert heartbeat_sent.receivers == []


class TestBeat:
    def test_renews_the_file_in_each_round(self, pulse, monkeypatch):
        monkeypatch.setattr(DatabaseScheduler, "tick", lambda self: 5.0)
        assert Scheduler(app=app, lazy=True).tick() == 5.0
        assert pulse.stat().st_mtime > LONG_AGO
