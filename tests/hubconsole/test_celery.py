import os
import subprocess
import sys

import pytest
from django.conf import settings

from hubconsole.celery import app
from tests.hubconsole.console import REPOSITORY
from tests.support.parameters import quick_first

_PROGRAM = """
import sys
from hubconsole.celery import app
from tests.support.parameters import quick_first
app.loader.import_default_modules()
others = {"pyspark", "pyarrow", "hubconsole.devserver", "messages_app.demo"}
print(len(app.tasks), *(others & sys.modules.keys()))
"""


class TestApp:
    @pytest.mark.parametrize(
        ("process", "packages"),
        quick_first(
            [
                pytest.param("short-worker", set()),
                pytest.param("spark-worker", {"pyspark", "pyarrow"}),
                pytest.param("store-worker", set()),
                pytest.param("beat", set()),
            ],
            quick=2,
        ),
    )
    def test_loads_spark_only_in_the_worker_of_jobs_and_does_not_load_up(self, servers, process, packages):
        named = {"HUBCONSOLE_HOME": str(settings.HUBCONSOLE_HOME), "HUBCONSOLE_PROCESS": process}
        program = [sys.executable, "-c", _PROGRAM]
        done = subprocess.run(
            program, cwd=REPOSITORY, env=os.environ | named, capture_output=True, text=True, check=True
        )
        tasks, *found = done.stdout.split()
        assert int(tasks) > 20  # Celery's own nine, and ours
        assert set(found) == packages

    def test_names_each_task_after_its_module(self):
        app.loader.import_default_modules()
        ours = {name: task for name, task in app.tasks.items() if not name.startswith("celery.")}
        assert len(ours) > 15
        assert [name for name, task in ours.items() if name != f"{task.__module__}.{task.__name__}"] == []

    def test_knows_every_task_that_beat_starts_or_that_has_a_queue(self):
        app.loader.import_default_modules()
        scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
        assert "messages_app.jobs.tasks.remove_old_exports" in scheduled
        assert (scheduled | set(settings.CELERY_TASK_ROUTES)) - set(app.tasks) == set()
