"""
Outages of generated days are one incident each.

Source: docs/contributing/decisions/0040-incidents.md, "Measurements".
"""

from collections import Counter
from time import process_time

import pytest

from messages_app.incidents.gathering.matching import gather_incidents
from messages_app.incidents.gathering.records import Cell, Window
from messages_app.incidents.gathering.traffic import Traffic
from tests.messages_app.incidents import joint_outages, other_outages, outages, variant_outages
from tests.messages_app.incidents.days import Day, score_day
from tests.messages_app.incidents.streams import measure_stability

# The seeds of the report; the rule was made with those below 500.
REPORT = range(1000, 1040)
# Seeds of variants that the rule was not made with; small outages often have a background failure among them.
VARIANTS = range(6000, 6014)
MOST_CHANGES = [one for one in variant_outages.CHANGES if one != variant_outages.SMALL]
# Measured on 200 days without an outage.
MAX_QUIET_INCIDENTS = 6
MAX_SECONDS = 0.3


def list_wrong(day: Day) -> list:
    matches = gather_incidents(day.list_failures(), day.make_traffic())
    return [score for score in score_day(day, [match.cluster for match in matches]) if not score.is_right]


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_an_outage_is_one_incident(seed):
    assert list_wrong(outages.make_day(seed)) == []


@pytest.mark.parametrize("seed", [5000, 5001, 5004])
def test_an_outage_with_other_texts_ports_or_times_is_one_incident(seed):
    assert list_wrong(variant_outages.make_day(seed)) == []


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_systems_that_fail_together_have_an_incident_each(seed):
    assert list_wrong(joint_outages.make_day(seed, joint_outages.SEVERAL_SYSTEMS)) == []


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_systems_with_a_cause_that_they_share_have_one_incident(seed):
    assert list_wrong(joint_outages.make_day(seed, joint_outages.SHARED_CAUSE)) == []


@pytest.mark.slow
class TestReport:
    @pytest.mark.parametrize(
        ("shape", "most"), [(joint_outages.SEVERAL_SYSTEMS, 2), (joint_outages.SHARED_CAUSE, 4)]
    )
    def test_has_an_incident_for_nearly_every_cause_of_several_systems(self, shape, most):
        wrong = {
            seed: scores for seed in REPORT if (scores := list_wrong(joint_outages.make_day(seed, shape)))
        }
        assert len(wrong) <= most, wrong

    @pytest.mark.parametrize("change", MOST_CHANGES)
    def test_has_an_incident_for_nearly_every_outage_of_a_variant(self, change):
        wrong = {
            seed: scores
            for seed in VARIANTS
            if (scores := list_wrong(variant_outages.make_day(seed, change)))
        }
        assert len(wrong) <= 3, wrong

    def test_opens_few_incidents_on_days_without_an_outage(self):
        days = {seed: variant_outages.make_quiet_day(seed) for seed in range(6000, 6200)}
        counts = {
            seed: found
            for seed, day in days.items()
            if (found := len(gather_incidents(day.list_failures(), day.make_traffic())))
        }
        assert sum(counts.values()) <= MAX_QUIET_INCIDENTS, counts

    def test_has_an_incident_for_nearly_every_outage_of_a_known_system(self):
        wrong = {
            seed: scores
            for seed in REPORT
            if (scores := list_wrong(outages.make_day(seed, known_system=outages.BY_CALL)))
        }
        assert len(wrong) <= 2, wrong

    def test_has_an_incident_for_most_outages_if_some_texts_name_the_system(self):
        wrong = {
            seed: scores
            for seed in REPORT
            if (scores := list_wrong(outages.make_day(seed, known_system=outages.BY_SOME_TEXTS)))
        }
        assert len(wrong) <= 8, wrong

    def test_has_an_incident_for_nearly_every_outage_of_the_other_generator(self):
        wrong = {seed: scores for seed in REPORT if (scores := list_wrong(other_outages.make_day(seed)))}
        assert len(wrong) <= 2, wrong

    def test_leaves_nearly_all_failures_in_their_first_incident(self):
        counts = Counter[str]()
        for seed in REPORT[:14]:
            counts += measure_stability(outages.make_day(seed))
        assert counts["moved"] <= 0.02 * counts.total(), counts
        assert counts["late"] <= 0.02 * counts.total(), counts


def make_large_hub() -> tuple[dict[Cell, dict[int, int]], Traffic]:
    """Return 5 000 cells of 60 services with a day of failures, and one outage."""
    failures: dict[Cell, dict[int, int]] = {}
    for number in range(5000):
        service, text = f"service{number % 60}", number // 60
        system = ("bank.example", "crm.example", "")[number % 3]
        words = "No answer in time" if text % 3 == 0 else f"Step {chr(97 + text % 26)}x failed"
        cell = Cell(service, f"operation{number % 4}", f"sender{number % 8}", system, str(number), words)
        failures[cell] = {(number * 7 + minute * 181) % 1440 + 1: 1 for minute in range(8)}
        if system == "bank.example" and text % 3 == 0:
            failures[cell] |= dict.fromkeys(range(901, 1021), 2)
    traffic = Traffic(Window(1, 1440))
    for number in range(60):
        for minute in range(1, 1441):
            traffic.add_messages(f"service{number}", f"sender{number % 8}", minute, 10)
    return failures, traffic


def test_a_pass_over_five_thousand_cells_is_fast():
    failures, traffic = make_large_hub()
    seconds = []
    for _ in range(3):
        start = process_time()
        matches = gather_incidents(failures, traffic)
        seconds.append(process_time() - start)
    assert "bank.example" in {match.cluster.key.system for match in matches}
    assert min(seconds) <= MAX_SECONDS
