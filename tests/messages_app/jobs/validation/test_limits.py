"""Parameters of jobs just within their limits, and just beyond, with their whole errors."""

import pytest

from messages_app.core.parameters import MAX_ID, MIN_ID
from messages_app.core.problems import FieldError
from messages_app.jobs.errors import AlreadyRunning, InvalidJob, JobConflict
from messages_app.jobs.models import Job
from messages_app.jobs.stores import store_of
from messages_app.jobs.validation import (
    check_confirmed,
    check_rate,
    describe_stored_faults,
    filter_of_query,
    is_confirmed,
    type_errors,
)
from tests.messages_app.jobs.validation.test_checking import FAILED, checked, errors_of
from tests.support.factories import NOON

pytestmark = pytest.mark.django_db


class TestOptions:
    @pytest.mark.parametrize(
        ("kind", "name", "values", "beyond"),
        [
            ("archive", "older_than_months", [1, 1200], [0, 1201]),
            ("restart", "rate", [0.01, 100_000], [0.009, 100_000.5]),
            ("restart", "canary", [1, 10_000], [0, 10_001]),
            ("restart", "stop_at_failure_rate", [0, 1, 0.5], [-0.01, 1.01]),
        ],
    )
    def test_have_values_up_to_their_limits(self, kind, name, values, beyond):
        for value in values:
            options, _ = checked(kind=kind, filter=FAILED if kind == "restart" else {}, options={name: value})
            assert options[name] == value
        for value in beyond:
            wrong = {"kind": kind, "filter": FAILED if kind == "restart" else {}, "options": {name: value}}
            assert errors_of(**wrong) == [(f"options.{name}", "out_of_range")]

    def test_are_all_returned_with_defaults(self):
        options, kept = checked(kind="restart", filter=FAILED, options={"rate": 2.5, "canary": 3})
        assert options == {
            "total": False,
            "rate": 2.5,
            "canary": 3,
            "stop_at_failure_rate": None,
            "also_resent": False,
        }
        assert kept == {"state": "FAILED"}


class TestReason:
    def test_has_at_most_a_thousand_characters(self):
        assert checked(reason="r" * 1000)
        with pytest.raises(InvalidJob) as refused:
            checked(reason="r" * 1001)
        assert refused.value.errors == [FieldError("reason", "too_long", "At most 1000 characters.")]
        assert str(refused.value) == "reason: At most 1000 characters."


class TestConfirmed:
    @pytest.mark.parametrize("number", [None, 0, 1, MAX_ID])
    def test_may_be_a_number_of_messages(self, number):
        assert check_confirmed(number) is None
        assert checked(confirmed=number)

    @pytest.mark.parametrize(
        ("number", "code"),
        [
            (-1, "out_of_range"),
            (MAX_ID + 1, "out_of_range"),
            (True, "invalid_value"),
            ("5", "invalid_value"),
            (5.0, "invalid_value"),
        ],
    )
    def test_may_be_nothing_else(self, number, code):
        assert (check_confirmed(number).field, check_confirmed(number).code) == ("confirmed", code)
        assert errors_of(confirmed=number) == [("confirmed", code)]

    @pytest.mark.parametrize(
        ("confirmed", "enough", "too_many"), [(0, 0, 1), (9, 9, 10), (10, 11, 12), (100, 110, 111)]
    )
    def test_is_enough_for_a_tenth_more(self, confirmed, enough, too_many):
        assert (is_confirmed(confirmed, enough), is_confirmed(confirmed, too_many)) == (True, False)


@pytest.mark.parametrize(
    ("rate", "code"), [(0.0099, "out_of_range"), (100_001, "out_of_range"), ("5", "invalid_value")]
)
def test_a_wrong_rate_is_an_error_of_its_field(rate, code):
    assert (check_rate(rate).field, check_rate(rate).code) == ("rate", code)


class TestFilter:
    def errors_in(self, filter: dict[str, object]) -> list[tuple[str, str]]:
        known = store_of("restart").vocabulary.filters
        return [(error.field, error.code) for error in type_errors(filter, known)]

    @pytest.mark.parametrize("number", [MIN_ID, MAX_ID, 0, True, "text"])
    def test_has_values_that_an_address_can_have(self, number):
        assert self.errors_in({"parent_msg_id": number, "state": [number]}) == []

    @pytest.mark.parametrize(
        ("value", "code"),
        [
            (MIN_ID - 1, "out_of_range"),
            (MAX_ID + 1, "out_of_range"),
            ([MAX_ID + 1], "out_of_range"),
            (["a", MAX_ID + 1, None], "out_of_range"),
            ([], "required"),
            (1.5, "invalid_value"),
            (None, "invalid_value"),
            ({}, "invalid_value"),
            ("\udcff", "invalid_value"),
        ],
    )
    def test_has_no_other_values(self, value, code):
        assert self.errors_in({"state": value, "service_name": "ok"}) == [("filter.state", code)]

    def test_has_lists_only_where_they_are_allowed(self):
        assert self.errors_in({"process_id": ["a"], "service_name": ["a"], "state": ["FAILED"]}) == [
            ("filter.process_id", "invalid_value")
        ]

    def test_of_a_query_is_read_as_it_is_pasted(self):
        assert filter_of_query("") == filter_of_query("?") == filter_of_query(" \n") == {}
        assert filter_of_query(" ?state=OK&state=FAILED&service_name=a+b \r\n") == {
            "state": ["OK", "FAILED"],
            "service_name": "a b ",
        }
        assert filter_of_query("object_id=%C3%AB&process_id=1") == {"object_id": "ë", "process_id": "1"}
        for text in ("state=%FF", "state=\udcff"):
            with pytest.raises(InvalidJob) as refused:
                filter_of_query(text)
            assert [(error.field, error.code) for error in refused.value.errors] == [
                ("filter", "invalid_encoding")
            ]


class TestStoredFault:
    def test_names_every_fault_of_a_job(self):
        edited = Job(kind="archive", filter={"where": "1"}, options={"to": "attic"}, rate=-5, reason="r")
        fault = describe_stored_faults(edited)
        places = [fault.index(name) for name in ("filter.where: ", "options.to: ", " rate: ", " cutoff: ")]
        assert places == sorted(places)
        assert fault.startswith("stored parameters invalid: filter.where: ")
        assert fault.endswith(" cutoff: an archive job needs its age limit.")

    @pytest.mark.parametrize("link", ["undo_of", "retry_of"])
    def test_checks_the_filter_of_a_job_that_follows_another(self, link):
        job = Job(kind="restart", filter={"where": "1"}, options={}, reason="r", **{link: 7})
        assert "filter.where" in describe_stored_faults(job)
        assert (
            describe_stored_faults(Job(kind="restart", filter={}, options={}, reason="r", **{link: 7})) == ""
        )

    def test_accepts_limits_of_archive_jobs(self):
        for kind in ("archive", "archive_history"):
            job = Job(
                kind=kind, filter={}, options={"older_than_months": 1}, cutoff=NOON, rate=0.01, reason="r"
            )
            assert describe_stored_faults(job) == ""


def test_refusals_have_their_facts():
    running = AlreadyRunning(7)
    assert (running.job_id, str(running)) == (
        7,
        "Archive job 7 is not finished yet. Archive jobs cannot overlap.",
    )
    assert (str(AlreadyRunning(8, "Other.")), AlreadyRunning(8, "Other.").job_id) == ("Other.", 8)
    assert JobConflict("It ended.", current_state="done").current_state == "done"
    wrong = InvalidJob([FieldError("a", "required", "One."), FieldError("b", "too_long", "Two.")])
    assert str(wrong) == "a: One. b: Two."
