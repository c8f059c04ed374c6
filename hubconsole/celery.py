"""
The Celery app. A task carries only an id; the row with this id has the data
(docs/contributing/spec/design.md, R-1).
"""

import logging
import os

from celery import Celery
from celery.signals import setup_logging, worker_init
from kombu.transport import TRANSPORT_ALIASES

from hubconsole.pulse import connect_pulse
from hubconsole.telemetry import is_wanted
from hubconsole.telemetry.workers import connect_workers
from messages_app.core.stores import installed_stores

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")

# Checks load every page and the API, which workers never serve: more than half a second of each start.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# These are lines of the log, and a worker reads the setting only after its first ones.
logging.captureWarnings(True)
TRANSPORT_ALIASES |= dict.fromkeys(("redis", "rediss"), "hubconsole.broker:Transport")
_OF_CONSOLE = (
    "messages_app.access",
    "messages_app.audit",
    "messages_app.jobs",
    "messages_app.jobs.schedules",
    "messages_app.jobs.webhooks",
)
app = Celery("hubconsole")
app.config_from_object("django.conf:settings", namespace="CELERY")


def packages_of_tasks() -> list[str]:
    """Return the packages with a module `tasks`: the console's own and those of the stores."""
    return [*_OF_CONSOLE, *(package for store in installed_stores() for package in store.tasks)]


app.autodiscover_tasks(packages_of_tasks)

if is_wanted():
    connect_workers()
connect_pulse()


@worker_init.connect
def check_pooler(**_: object) -> None:
    # Imported here because every command imports this module, and most check the database themselves.
    from hubconsole.pooler import end_behind_pooler

    end_behind_pooler()


@setup_logging.connect
def keep_the_layout(*, loglevel: int, **_: object) -> None:
    """Keep the log layout of the settings. Without a receiver of this signal Celery applies its own."""
    logging.getLogger().setLevel(loglevel)
