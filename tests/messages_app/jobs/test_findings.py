"""The findings of analyses as users may see them."""

import pytest
from django.contrib.auth.models import AnonymousUser

from messages_app.jobs.findings import represent_findings, show_findings
from messages_app.jobs.models import Job
from messages_app.shared.text_safety import MASK
from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.proportions import Shares
from spark_tasks.analyses.reports import Finding, write_finding
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

CURRENCY = Predicate(Field(Source.PAYLOAD, "/Order/Currency"), Kind.VALUE, "CHF")
SENDER = Predicate(Field(Source.COLUMN, "source_system"), Kind.VALUE, "CRM")
SHARES = Shares(212, 212, 30, 1000)
FILTER = {"state": "FAILED", "failure_group": "7"}


def make_analysis(*findings: Finding, filter: dict[str, str] = FILTER) -> Job:
    report = {"findings": [write_finding(each) for each in findings]}
    return Job(pk=1, kind="analyse", state="done", filter=filter, report=report)


class TestRepresentFindings:
    def test_has_field_value_numbers_and_a_sentence(self):
        (record,) = represent_findings(
            make_analysis(Finding((CURRENCY,), SHARES)), make_user("support", "view_payload")
        )

        assert record == {
            "field": "Currency",
            "value": "CHF",
            "failing": 212,
            "failing_total": 212,
            "passing": 30,
            "passing_total": 1000,
            "lift": 33.33,
            "sentence": "All 212 have Currency CHF; 3 % of the processed ones do"
            " (95 % interval of the difference: 95 to 98 points).",
            "same_as": "",
        }

    def test_masks_values_for_users_without_the_right_to_payloads_and_for_no_user(self):
        job = make_analysis(Finding((CURRENCY, SENDER), SHARES, (CURRENCY,)))

        for user in (None, make_user("support")):
            (record,) = represent_findings(job, user)
            assert "CHF" not in str(record)
            assert (record["field"], record["value"]) == ("Currency and source system", f"{MASK} and CRM")

    def test_leaves_out_what_someone_broke_in_the_database(self):
        job = make_analysis(Finding((SENDER,), SHARES))
        job.report["findings"] += [7, {}, {"predicates": [{}]}, None]

        assert len(represent_findings(job, None)) == 1
        job.report["findings"] = "none"
        assert represent_findings(job, None) == []


class TestShowFindings:
    def test_has_a_bar_for_each_side_with_numbers(self):
        (shown,) = show_findings(make_analysis(Finding((SENDER,), SHARES)), AnonymousUser())

        assert [(bar.label, bar.width, bar.words) for bar in shown.bars] == [
            ("Failing", 100, "212 of 212 (100 %)"),
            ("Processed", 3, "30 of 1\u202f000 (3 %)"),
        ]

    def test_has_no_percentages_of_small_groups(self):
        (shown,) = show_findings(make_analysis(Finding((SENDER,), Shares(12, 15, 0, 99))), AnonymousUser())

        assert [bar.words for bar in shown.bars] == ["12 of 15", "0 of 99"]
        assert shown.sentence.startswith(
            "12 of 15 have source system CRM; none of the 99 processed ones does"
        )

    def test_leads_to_the_list_of_the_failing_messages_with_the_value(self):
        (shown,) = show_findings(make_analysis(Finding((SENDER,), SHARES)), AnonymousUser())

        assert shown.address == "/messages/?state=FAILED&failure_group=7&source_system=CRM"

    @pytest.mark.parametrize(
        "predicates",
        [
            (CURRENCY,),
            (SENDER, CURRENCY),
            (Predicate(Field(Source.COLUMN, "object_id"), Kind.MISSING),),
            (Predicate(Field(Source.COLUMN, "guaranteed_order"), Kind.VALUE, "true"),),
            (Predicate(Field(Source.COLUMN, "object_id"), Kind.VALUE, 80 * "x" + "…"),),
        ],
    )
    def test_has_no_link_if_no_filter_expresses_the_finding(self, predicates):
        (shown,) = show_findings(make_analysis(Finding(predicates, SHARES)), AnonymousUser())

        assert shown.address == ""
