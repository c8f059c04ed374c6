import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


class TestFields:
    def test_of_which_one_is_declared_once_are_shown_filtered_loaded_exported_and_archived(self):
        """Run tests/invented_field/everywhere.py: models are read once in a process, so it has its own."""
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        environment["TESTS_SETTINGS"] = "tests.invented_field.settings"
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "tests/invented_field/everywhere.py"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
