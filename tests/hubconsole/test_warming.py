import os
import subprocess
import sys

from django.conf import settings

from tests.hubconsole.console import REPOSITORY

# A process of its own: what is frozen stays so.
_PROGRAM = """
import gc, sys, time
import hubconsole.wsgi
assert "messages_app.page_urls" in sys.modules
began = time.process_time()
gc.collect()
print(gc.get_freeze_count(), time.process_time() - began)
"""


class TestWarmUp:
    def test_has_pages_loaded_and_leaves_the_collector_little(self, servers):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            cwd=REPOSITORY,
            env=os.environ | {"HUBCONSOLE_HOME": str(settings.HUBCONSOLE_HOME)},
            capture_output=True,
            text=True,
            check=True,
        )
        frozen, seconds = map(float, done.stdout.split())
        assert frozen > 100_000
        assert seconds < 0.05
