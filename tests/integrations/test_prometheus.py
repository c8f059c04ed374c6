"""Prometheus' own tool runs the unit tests of the alerting rules, and reads the dashboard's expressions."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integrations.debian import environment_of, find_file
from tests.support.promql import RULES, expressions_of_rules, targets_of_dashboard

pytestmark = pytest.mark.integrations

UNIT_TESTS = Path(__file__).with_name("alerting_rules.test.yml")


def run_promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = find_file("usr/bin/promtool", packages=["prometheus"])
    return subprocess.run(
        [program, *arguments],
        env=environment_of(program),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path) -> Path:
    """Give a folder with the rules and their unit tests."""
    for file in (RULES, UNIT_TESTS):
        shutil.copy(file, tmp_path)
    return tmp_path


class TestRules:
    def test_pass_their_unit_tests(self, folder):
        checked = run_promtool("check", "rules", folder / RULES.name)
        assert checked.returncode == 0, checked.stderr
        tested = run_promtool("test", "rules", folder / UNIT_TESTS.name)
        assert tested.returncode == 0, tested.stderr + tested.stdout

    def test_have_a_unit_test_each(self):
        text = UNIT_TESTS.read_text()
        untested = [name for name, _ in expressions_of_rules() if f"alertname: {name}\n" not in text]
        assert untested == []

    @pytest.mark.parametrize(
        ("before", "after"), [("> 60", "> 600"), ("for: 10m", "for: 1h"), ("> 0.05", "> 0.5")]
    )
    def test_that_changed_fail_their_unit_tests(self, folder, before, after):
        rules = folder / RULES.name
        rules.write_text(rules.read_text().replace(before, after))
        assert run_promtool("test", "rules", folder / UNIT_TESTS.name).returncode == 1


class TestDashboard:
    def test_has_expressions_that_prometheus_reads(self, tmp_path):
        rules = [
            {"record": f"panel_{number}", "expr": expression.replace("$__rate_interval", "5m")}
            for number, (_, expression, _) in enumerate(targets_of_dashboard())
        ]
        file = tmp_path / "panels.yml"
        file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
        checked = run_promtool("check", "rules", file)
        assert checked.returncode == 0, checked.stderr
        assert f"{len(rules)} rules found" in checked.stdout
