"""Pages predict the next attempt from the intervals in the hub's files."""

import os
import subprocess
import sys

import pytest

from hubconsole.devserver import programs
from tests.support.parameters import quick_first
from tests.support.workers import database_of_tests

_TELL = """
import django
django.setup()
from datetime import UTC, datetime
from messages_app.messages.hub_times import expect_pickup
print(*(f"{moment:%M:%S}" for moment in expect_pickup(datetime(2026, 11, 1, 12, tzinfo=UTC))))
"""


def predicted(**environment: str) -> str:
    """Return when a message restarted at 00:00 is picked up, as a process with these settings says it."""
    environment |= {"DJANGO_SETTINGS_MODULE": "hubconsole.settings"} | database_of_tests()
    environment = os.environ | environment
    done = subprocess.run(
        [sys.executable, "-c", _TELL], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


class TestPrediction:
    @pytest.mark.parametrize(
        ("environment", "window"),
        quick_first(
            [
                pytest.param({"HUB_POLL_SECONDS": "30", "HUB_FAILED_REST_SECONDS": "90"}, "01:30 02:00"),
                pytest.param({}, "01:00 02:00"),
                pytest.param({"HUB_POLL_SECONDS": "10"}, "01:00 01:10"),
            ]
        ),
    )
    def test_follows_the_settings(self, environment, window):
        assert predicted(**environment) == window

    def test_of_the_demo_is_the_one_of_its_hub(self):
        web = programs.web_program(bind="127.0.0.1", port=1, environment=programs.demo_hub_times())
        assert web.environment["HUB_FAILED_REST_SECONDS"] == "6"
        assert web.environment["HUB_POLL_SECONDS"] == "6"
        # The hub itself divides the hub's own times.
        assert "HUB_POLL_SECONDS" not in programs.demo_hub_program(rate=1).environment

    def test_of_a_hub_that_is_not_the_demos_is_the_operators(self):
        assert "HUB_POLL_SECONDS" not in programs.web_program(bind="127.0.0.1", port=1).environment
