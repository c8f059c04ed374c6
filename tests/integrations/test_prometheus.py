"""Prometheus' own tool runs the unit tests of the alerting rules, and reads the dashboard's expressions."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from messages_app.access.token_services import create_token
from messages_app.audit.services import SYSTEM
from tests.integrations.debian import environment_of, find_file
from tests.integrations.prometheus_server import Prometheus, run_prometheus
from tests.support.eventually import eventually
from tests.support.factories import make_user
from tests.support.promql import RULES, expressions_of_rules, targets_of_dashboard
from tests.support.web_server import web_server

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


@pytest.mark.django_db(transaction=True)
class TestServer:
    def test_scrapes_a_console_and_evaluates_the_rules_and_the_dashboard(self, tmp_path):
        user = make_user("support", username="prometheus")
        token = create_token(user=user, name="scraper", actor=SYSTEM, scopes=["messages:read"])[1]
        with (
            web_server(tmp_path) as web,
            run_prometheus(tmp_path, console=web.host, token=token) as prometheus,
        ):
            up = eventually(lambda: prometheus.ask("query", query='up{job="hubconsole"} == 1')["result"])
            assert up[0]["metric"]["instance"] == web.host
            names = eventually(lambda: evaluated_rules(prometheus))
            assert names == {name for name, _ in expressions_of_rules()}
            for _, expression, _ in targets_of_dashboard():
                prometheus.ask("query", query=expression.replace("$__rate_interval", "5m"))
            failing = prometheus.ask("query", query="hubconsole_failing_messages")["result"]
            assert [each["metric"]["job"] for each in failing] == ["hubconsole"]


def evaluated_rules(prometheus: Prometheus) -> set[str]:
    """Return the names of the rules that were evaluated without an error."""
    groups = prometheus.ask("rules")["groups"]
    return {rule["name"] for group in groups for rule in group["rules"] if rule["health"] == "ok"}


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
