"""Names in PromQL expressions, as far as those of the alerting rules and the dashboard need it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
RULES = ROOT / "deploy/prometheus/alerting_rules.yml"
DASHBOARD = ROOT / "deploy/grafana/hubconsole.json"

_METRIC = re.compile(r"\b(hubconsole_\w+|up)\b(?:\{([^}]*)\})?")
_MATCHER = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
_BY = re.compile(r"\bby\s*\(([^)]*)\)")
_LEGEND = re.compile(r"\{\{\s*(\w+)\s*\}\}")
# Labels that the scraper adds.
_OF_SCRAPER = frozenset({"job", "instance"})


class Names(NamedTuple):
    """
    The metrics of an expression, and its labels: in selectors, in groups and in the legend.
    """

    metrics: frozenset[str]
    labels: frozenset[str]


def names_in(expression: str, legend: str = "") -> Names:
    found = _METRIC.findall(expression)
    selected = [label for _, matchers in found for label in _MATCHER.findall(matchers)]
    grouped = [label.strip() for labels in _BY.findall(expression) for label in labels.split(",")]
    labels = {*selected, *grouped, *_LEGEND.findall(legend)} - _OF_SCRAPER
    return Names(frozenset(name for name, _ in found), frozenset(labels))


def targets_of_dashboard() -> Iterator[tuple[str, str, str]]:
    """Yield the title of the panel, the expression and the legend of each query."""
    dashboard: dict[str, Any] = json.loads(DASHBOARD.read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"], target["legendFormat"]


def expressions_of_rules() -> Iterator[tuple[str, str]]:
    """Yield the name and the expression of each alert."""
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
