import os
import subprocess
import sys

import pytest
from django.conf import settings

from tests.hubconsole.console import REPOSITORY

# A separate process, because frozen objects stay frozen.
_PROGRAM = """
import gc, sys, time
import hubconsole.wsgi
assert "messages_app.urls" in sys.modules
from messages_app.core.api_docs import describe_api
assert describe_api.cache_info().currsize == 1, "the API is not described"
began = time.process_time()
gc.collect()
print(gc.get_freeze_count(), time.process_time() - began, *sys.modules)
"""


@pytest.fixture(scope="module")
def web(servers) -> list[str]:
    """The report of such a process: frozen objects, the duration of a collection, its modules."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        cwd=REPOSITORY,
        env=os.environ | {"HUBCONSOLE_HOME": str(settings.HUBCONSOLE_HOME)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


class TestWarmUp:
    def test_has_pages_loaded_and_leaves_the_collector_little(self, web):
        frozen, seconds = map(float, web[:2])
        assert frozen > 100_000
        assert seconds < 0.05

    @pytest.mark.parametrize("package", ["pyspark", "pyarrow", "numpy", "jsonschema"])
    def test_leaves_to_workers_what_only_they_need(self, web, package):
        """
        Sixty megabytes of each process, of two hundred that it may have (docs/contributing/spec/promises.md,
        S-40).
        """
        assert package not in web[2:]

    @pytest.mark.parametrize("package", ["hubconsole.devserver", "messages_app.demo"])
    def test_does_not_load_what_only_up_needs(self, web, package):
        assert package not in web[2:]
