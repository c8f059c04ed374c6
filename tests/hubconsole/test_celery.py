import os
import subprocess
import sys

import pytest
from django.conf import settings

from tests.hubconsole.console import REPOSITORY

_PROGRAM = """
import sys
from hubconsole.celery import app
app.loader.import_default_modules()
print(len(app.tasks), *({"pyspark", "pyarrow"} & sys.modules.keys()))
"""


class TestApp:
    @pytest.mark.parametrize(
        ("process", "packages"),
        [
            ("short-worker", set()),
            ("store-worker", set()),
            ("beat", set()),
            ("spark-worker", {"pyspark", "pyarrow"}),
        ],
    )
    def test_loads_spark_only_in_the_worker_of_jobs(self, servers, process, packages):
        named = {"HUBCONSOLE_HOME": str(settings.HUBCONSOLE_HOME), "HUBCONSOLE_PROCESS": process}
        program = [sys.executable, "-c", _PROGRAM]
        done = subprocess.run(
            program, cwd=REPOSITORY, env=os.environ | named, capture_output=True, text=True, check=True
        )
        tasks, *found = done.stdout.split()
        assert int(tasks) > 20  # Celery's own nine, and ours
        assert set(found) == packages
