import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def find_everywhere(*, slow: bool) -> None:
    """Run tests/invented_field/everywhere.py in a process of its own: models are read once in a process."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    environment["TESTS_SETTINGS"] = "tests.invented_field.settings"
    chosen = "slow" if slow else "not slow"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-m", chosen, "tests/invented_field/everywhere.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]


class TestFields:
    @pytest.mark.slow
    def test_of_which_one_is_declared_once_are_shown_filtered_and_loaded(self):
        find_everywhere(slow=False)

    @pytest.mark.slow
    def test_of_which_one_is_declared_once_are_exported_and_archived(self):
        find_everywhere(slow=True)
