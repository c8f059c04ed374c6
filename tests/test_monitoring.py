"""The alerting rules and the dashboard name only what a running console reports."""

import re

import pytest

from messages_app.audit.stream.models import AuditStream
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.metrics.passes import fold_changes
from messages_app.service_map.targets.models import Profile
from tests.messages_app.jobs.stored_jobs import make_restart
from tests.support.factories import NOON, make_message
from tests.support.promql import expressions_of_rules, names_in, targets_of_dashboard
from tests.support.web_server import Address, web_server

_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? ")
_LABEL = re.compile(r'(\w+)="')
# Reported by Prometheus for each scrape.
_OF_PROMETHEUS = {"up": set()}


def read_samples(text: str) -> dict[str, set[str]]:
    """Return the labels of each metric that has a sample."""
    samples: dict[str, set[str]] = {}
    for line in text.splitlines():
        if match := _SAMPLE.match(line):
            samples.setdefault(match[1], set()).update(_LABEL.findall(match[2] or ""))
    return samples


def make_a_sample_of_each() -> None:
    make_message(state="FAILED")
    fold_changes()
    make_restart(state="running")
    FailureGroup.objects.create(
        fingerprint="1", state="new", first_seen=NOON, last_seen=NOON, summary="s", example="e"
    )
    Profile.objects.create(kind="service", name="billing", failed_share=0.5, version=1)
    AuditStream.objects.create(stream_id=1, seal_id=0)


def unknown_names(expression: str, legend: str, samples: dict[str, set[str]]) -> set[str]:
    """Return the metrics of an expression without a sample, and its labels that one of its metrics lacks."""
    names = names_in(expression, legend)
    missing = set(names.metrics - samples.keys())
    return missing.union(*(names.labels - samples[name] for name in names.metrics & samples.keys()))


@pytest.mark.django_db(transaction=True)
class TestExpressions:
    def test_name_metrics_and_labels_of_a_running_console(self, tmp_path):
        make_a_sample_of_each()
        with web_server(tmp_path) as web:
            web.get(Address("/messages/", is_api=False))
            samples = read_samples(web.read_text("/metrics")) | _OF_PROMETHEUS
        rules = [(name, expression, "") for name, expression in expressions_of_rules()]
        targets = list(targets_of_dashboard())
        unknown = {
            name: faults
            for name, expression, legend in [*rules, *targets]
            if (faults := unknown_names(expression, legend, samples))
        }
        assert unknown == {}
        used = [names_in(expression).metrics for _, expression, _ in targets]
        suffix = re.compile("_(bucket|sum|count)$")
        shown = {suffix.sub("", name) for names in used for name in names}
        assert shown == {suffix.sub("", name) for name in samples} - _OF_PROMETHEUS.keys()


class TestUnknownNames:
    SAMPLES = {"hubconsole_jobs": {"state"}}

    @pytest.mark.parametrize(
        ("expression", "legend", "unknown"),
        [
            ('sum by (state) (hubconsole_jobs{state="running"})', "{{state}}", set()),
            ("sum by (instance) (hubconsole_jobs)", "", set()),
            ("sum(hubconsole_job)", "", {"hubconsole_job"}),
            ('hubconsole_jobs{kind="archive"}', "", {"kind"}),
            ('hubconsole_jobs{state!="paused",kind=~"a|b"}', "", {"kind"}),
            ("sum by (state, kind) (hubconsole_jobs)", "", {"kind"}),
            ("hubconsole_jobs", "{{ kind }}", {"kind"}),
        ],
    )
    def test_are_found_where_an_expression_may_have_them(self, expression, legend, unknown):
        assert unknown_names(expression, legend, self.SAMPLES) == unknown
