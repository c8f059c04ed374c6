"""
The pulse of a worker or of beat: the time of a file, by which the probe of a container knows that it works.

A worker touches it every two seconds while it is connected to the broker, and beat in each round.
"""

import os
from pathlib import Path

from celery.signals import heartbeat_sent


def connect_pulse() -> None:
    """Let a worker of this process touch HUBCONSOLE_PULSE_FILE, if it is set."""
    if os.environ.get("HUBCONSOLE_PULSE_FILE"):
        heartbeat_sent.connect(_show_life)


def touch_pulse() -> None:
    """Touch HUBCONSOLE_PULSE_FILE, if it is set."""
    if path := os.environ.get("HUBCONSOLE_PULSE_FILE"):
        Path(path).touch()


def _show_life(**_: object) -> None:
    touch_pulse()
