"""`make pins` raises versions within their ranges, and leaves the reasons."""

from tests.support.locks import ROOT
from tests.support.pins import list_ranges, raise_pins, read_ranges

PINS = """# Reasons.
-r requirements.txt
psycopg[binary,pool]==3.3.9  # PostgreSQL
pytest==9.2.0  # the test runner
"""
PROJECT = """
[project]
dependencies = ["psycopg[binary,pool]>=3.3.9,<3.4"]
[project.optional-dependencies]
s3 = ["boto3>=1.44.8,<2"]
"""


class TestPins:
    def test_stay_in_the_range_of_the_project_or_their_major_version(self):
        ranges = read_ranges(PROJECT)
        assert ranges == {"psycopg": "<3.4,>=3.3.9", "boto3": "<2,>=1.44.8"}
        assert list_ranges(PINS, ranges) == ["psycopg[binary,pool]<3.4,>=3.3.9", "pytest>=9.2.0,<10"]

    def test_keep_extras_and_reasons(self):
        assert raise_pins(PINS, {"psycopg": "3.3.11"}) == PINS.replace("3.3.9", "3.3.11")

    def test_are_all_read(self):
        text = (ROOT / "requirements.txt").read_text()
        assert len(list_ranges(text, {})) == text.count("==")


class TestWorkflow:
    def test_raises_pins_and_locks_on_a_schedule_and_runs_the_suite_before_it_offers_them(self):
        text = (ROOT / ".github/workflows/updates.yml").read_text()
        steps = [
            "cron:",
            "make pins",
            "make lock ARGS=--upgrade",
            ".ci/run",
            "make advisories",
            "gh pr create",
        ]
        places = [text.index(step) for step in steps]
        assert places == sorted(places)
