"""Starts telemetry in the processes of Celery that execute or send tasks."""

import os

from celery.signals import beat_init, worker_init, worker_process_init, worker_process_shutdown


def connect_workers() -> None:
    """Start telemetry where tasks run: in each child of a worker, in a worker with threads, and in beat."""
    worker_init.connect(_prepare_worker, weak=False)
    worker_process_init.connect(_start_process, weak=False)
    worker_process_shutdown.connect(_end_process, weak=False)
    beat_init.connect(_start_process, weak=False)


def _prepare_worker(**_: object) -> None:
    from django.conf import settings  # They are loaded when the worker starts.

    if settings.CELERY_WORKER_POOL == "threads":
        _start_process()
    else:
        # Loaded before the fork: Celery replaces a child that needs more than four seconds to start.
        from hubconsole.telemetry import start  # noqa: F401


def _start_process(**_: object) -> None:
    from hubconsole.telemetry.start import start_telemetry  # Only a worker or beat needs it.

    start_telemetry(os.environ.get("HUBCONSOLE_PROCESS") or "worker")


def _end_process(**_: object) -> None:
    from hubconsole.telemetry.start import end_telemetry

    end_telemetry()
