import subprocess
import sys

from tests.hubconsole.console import REPOSITORY

# A separate process, because what is frozen stays frozen.
_PROGRAM = """
import gc, os
from django.conf import settings
usual = gc.get_threshold()
settings.DEBUG
searches = gc.get_stats()[0]["collections"]
import django
django.setup()
searches = gc.get_stats()[0]["collections"] - searches
print(searches, gc.get_freeze_count() > 100_000, gc.get_threshold() == usual)
"""


def test_models_are_loaded_with_few_searches_for_garbage_and_exempt_from_later_ones():
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    searches, is_frozen, is_usual_again = done.stdout.split()
    assert int(searches) < 20  # 221 with Python's threshold.
    assert (is_frozen, is_usual_again) == ("True", "True")
