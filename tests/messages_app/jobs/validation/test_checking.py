"""Every bad parameter of a job. Source: docs/contributing/spec/bad_input.md, "Jobs"."""

import pytest

from messages_app.jobs.errors import InvalidJob, NotAllowed
from messages_app.jobs.validation import check_job, check_rate
from tests.support.factories import make_user

HUGE = 10**30
NAN, INFINITY = float("nan"), float("inf")
RANGE = {
    "receive_timestamp_from": "2026-11-02T00:00:00Z",
    "receive_timestamp_to": "2026-11-01T00:00:00Z",
}
FAILED = {"state": "FAILED"}


def checked(**changes: object) -> tuple[dict[str, object], dict[str, object]]:
    good = {"kind": "archive", "filter": {}, "options": {}, "reason": "the yearly round", "user": None}
    request = check_job(**good | changes)
    return request.options, request.filter


def errors_of(**changes: object) -> list[tuple[str, str]]:
    """Return field and code of each error of a valid job with these changes."""
    with pytest.raises(InvalidJob) as refusal:
        checked(**changes)
    return [(error.field, error.code) for error in refusal.value.errors]


def restart_errors(filter: dict[str, object]) -> list[tuple[str, str]]:
    return errors_of(kind="restart", filter=filter)


class TestCheckJob:
    def test_fills_in_defaults(self):
        options, kept_filter = checked()
        assert options == {"older_than_months": 2, "to": "tables"}
        assert kept_filter == {}

    def test_keeps_a_filter_as_the_list_reads_it(self):
        asked = {"state": ["FAILED", "CANCEL"], "service_name": "billing"}
        _, kept_filter = checked(kind="restart", filter=asked)
        assert kept_filter == {"state": "FAILED,CANCEL", "service_name": "billing"}

    @pytest.mark.parametrize("states", [["OK", "OK", "FAILED"], "OK,OK,FAILED", ["OK,FAILED", "OK"]])
    def test_keeps_each_state_once(self, states):  # J16
        assert checked(filter={"state": states})[1] == {"state": "OK,FAILED"}

    @pytest.mark.parametrize("filter", [{}, {"service_name": "billing"}])
    def test_has_an_age_limit_with_a_filter_and_without(self, filter):
        assert checked(filter=filter)[0]["older_than_months"] == 2
        assert checked(filter=filter, options={"older_than_months": 5})[0]["older_than_months"] == 5

    @pytest.mark.parametrize("kind", ["archive", "archive_history"])
    @pytest.mark.parametrize("months", [None, 0, -1, 1201, "", "2", 1.0, True, []])
    @pytest.mark.parametrize("filter", [{}, {"status": "26"}, {"state": "OK"}])
    def test_refuses_an_age_limit_of_no_months(self, kind, months, filter):
        known = {} if ("status" in filter) == (kind == "archive") else filter
        with pytest.raises(InvalidJob) as refused:
            checked(kind=kind, filter=known, options={"older_than_months": months})
        assert [error.field for error in refused.value.errors] == ["options.older_than_months"]

    def test_treats_a_filter_without_values_as_empty(self):
        assert checked(filter={"archived": False})[0]["older_than_months"] == 2
        assert restart_errors({"archived": "false"}) == [("filter", "required")]

    def test_makes_a_restore_one_of_the_archive(self):
        assert checked(kind="restore", filter={"service_name": "crm"})[1]["archived"] == "true"
        assert checked(kind="restore", filter={"archived": True, "state": "OK"})[1]["archived"] == "true"

    @pytest.mark.parametrize("archived", [True, "any", False])
    def test_exports_from_anywhere(self, archived):
        options, kept = checked(kind="export", filter={"archived": archived, "state": "OK"})
        assert options == {"format": "csv", "payload": False}
        assert kept.get("archived", "false") == str(archived).lower()

    @pytest.mark.parametrize("kind", ["archiv", "ARCHIVE", 5, None, [], {}, "", "delete", "archive\0"])
    def test_names_the_kinds(self, kind):  # J02, J32
        assert errors_of(kind=kind) == [("kind", "invalid_value")]

    @pytest.mark.parametrize("kind", ["restart", "cancel", "restore", "export", "reprocess"])
    def test_refuses_an_empty_filter(self, kind):  # J22
        assert errors_of(kind=kind) == [("filter", "required")]

    @pytest.mark.parametrize(
        ("filter", "field", "code"),
        [
            ({"zzz": 1}, "filter.zzz", "unknown_parameter"),  # J23
            ({"stat": "FAILED"}, "filter.stat", "unknown_parameter"),
            ({"ordering": "msg_id"} | FAILED, "filter.ordering", "unknown_parameter"),
            ({"cursor": "x"} | FAILED, "filter.cursor", "unknown_parameter"),
            ({"page_size": "5"} | FAILED, "filter.page_size", "unknown_parameter"),
            ({"where": "1=1"}, "filter.where", "unknown_parameter"),  # J49
            ({"table": "auth_user; drop table x"}, "filter.table", "unknown_parameter"),  # J48
            ({"ids": [1, 2]}, "filter.ids", "unknown_parameter"),  # J26
            ({"x" * 10_000: 1}, "filter." + "x" * 73, "unknown_parameter"),
            ({"state": []}, "filter.state", "required"),  # J14
            ({"state": ""}, "filter.state", "required"),
            ({"state": "FAILED,"}, "filter.state", "required"),
            ({"state": "failed"}, "filter.state", "invalid_value"),
            ({"state": None}, "filter.state", "invalid_value"),
            ({"state": 5}, "filter.state", "invalid_value"),
            ({"state": ["FAILED", None]}, "filter.state", "invalid_value"),
            ({"state": ["FAILED", ["OK"]]}, "filter.state", "invalid_value"),
            ({"state": {"in": ["FAILED"]}}, "filter.state", "invalid_value"),
            ({"process_id": ["1"]}, "filter.process_id", "invalid_value"),
            ({"process_id": ["1", "2"]}, "filter.process_id", "invalid_value"),
            ({"service_name": {"like": "%"}}, "filter.service_name", "invalid_value"),
            ({"service_name": None}, "filter.service_name", "invalid_value"),
            ({"service_name": ""}, "filter.service_name", "required"),
            ({"service_name": "b\0"}, "filter.service_name", "invalid_value"),
            ({"service_name": "\udcff"}, "filter.service_name", "invalid_value"),
            ({"service_name": "b" * 31}, "filter.service_name", "too_long"),
            ({"service_name": "b" * 10**6}, "filter.service_name", "too_long"),
            ({"parent_msg_id": HUGE}, "filter.parent_msg_id", "out_of_range"),  # J31
            ({"parent_msg_id": 10**5000}, "filter.parent_msg_id", "out_of_range"),
            ({"parent_msg_id": -(2**63) - 1}, "filter.parent_msg_id", "out_of_range"),
            ({"parent_msg_id": 2**63}, "filter.parent_msg_id", "out_of_range"),
            ({"parent_msg_id": "abc"}, "filter.parent_msg_id", "invalid_value"),
            ({"parent_msg_id": 5.0}, "filter.parent_msg_id", "invalid_value"),
            ({"parent_msg_id": NAN}, "filter.parent_msg_id", "invalid_value"),
            ({"parent_msg_id": True}, "filter.parent_msg_id", "invalid_value"),
            (RANGE, "filter.receive_timestamp_from", "invalid_value"),
            ({"receive_timestamp_to": "2026-11-21"}, "filter.receive_timestamp_to", "invalid_value"),  # J13
            ({"receive_timestamp_to": "tomorrow"}, "filter.receive_timestamp_to", "invalid_value"),  # J11
            ({"receive_timestamp_to": 1_700_000_000}, "filter.receive_timestamp_to", "invalid_value"),
            (
                {"receive_timestamp_to": "99999-01-01T00:00:00Z"},
                "filter.receive_timestamp_to",
                "out_of_range",
            ),
            ({"payload_contains": "x"}, "filter.payload_contains", "required"),
            ({"archived": "maybe"} | FAILED, "filter.archived", "invalid_value"),
            ({"archived": True} | FAILED, "filter.archived", "invalid_value"),
            ({"archived": "any"} | FAILED, "filter.archived", "invalid_value"),
        ],
    )
    def test_refuses_an_invalid_filter(self, filter, field, code):
        assert restart_errors(filter) == [(field, code)]

    @pytest.mark.parametrize("state", ["PROCESSING", "OK,NEW", ["FAILED", "WAITING"]])
    def test_archives_final_states_only(self, state):  # J15
        with pytest.raises(InvalidJob, match="Only final messages can be archived"):
            checked(filter={"state": state})

    @pytest.mark.parametrize(("kind", "archived"), [("archive", True), ("cancel", "any"), ("restore", "any")])
    def test_refuses_a_place_in_which_the_job_does_nothing(self, kind, archived):
        assert errors_of(kind=kind, filter=FAILED | {"archived": archived})[0][0] == "filter.archived"

    def test_offers_no_payload_search_without_the_permission(self, db):
        search = {
            "payload_contains": "x",
            "receive_timestamp_from": "2026-11-01T00:00:00Z",
            "receive_timestamp_to": "2026-11-02T00:00:00Z",
        }
        operator = make_user("operator")
        reader = make_user("operator", "view_payload", username="grace")

        assert errors_of(kind="restart", filter=search, user=operator) == [
            ("filter.payload_contains", "unknown_parameter")
        ]
        assert checked(kind="restart", filter=search, user=reader)[1]["payload_contains"] == "x"

    @pytest.mark.parametrize("months", [None, True, 60.5, 2.0, "2", "sixty", [2], {}, NAN])
    def test_accepts_only_a_whole_number_of_months(self, months):  # J05, J09, J10
        assert errors_of(options={"older_than_months": months}) == [
            ("options.older_than_months", "invalid_value")
        ]

    @pytest.mark.parametrize("months", [0, -1, 1201, 100_000_000, HUGE, -HUGE])
    def test_keeps_the_months_in_range(self, months):  # J06, J08
        assert errors_of(options={"older_than_months": months}) == [
            ("options.older_than_months", "out_of_range")
        ]

    @pytest.mark.parametrize(
        ("kind", "options", "field", "code"),
        [
            ("archive", {"to": "/etc/passwd"}, "options.to", "invalid_value"),  # J47
            ("archive", {"to": "s3a://evil"}, "options.to", "invalid_value"),
            ("archive", {"to": None}, "options.to", "invalid_value"),
            ("archive", {"to": ["tables"]}, "options.to", "invalid_value"),
            ("archive", {"to": 5}, "options.to", "invalid_value"),
            ("archive", {"before": "2026-11-21"}, "options.before", "unknown_field"),
            ("archive", {"batch_size": 10**9}, "options.batch_size", "unknown_field"),  # J18 to J21
            ("archive", {"output_path": "../x"}, "options.output_path", "unknown_field"),  # J47
            ("archive", {"jdbc_url": "jdbc:x"}, "options.jdbc_url", "unknown_field"),  # J50
            ("archive", {"spark_conf": {"spark.jars": "x"}}, "options.spark_conf", "unknown_field"),
            ("archive", {"notify": "http://169.254.169.254/"}, "options.notify", "unknown_field"),  # J54
            ("archive", {"rate": 5}, "options.rate", "unknown_field"),
            ("archive", {"a" * 500: 1}, "options." + "a" * 72, "unknown_field"),
            ("restore", {"to": "tables"}, "options.to", "unknown_field"),
            ("restart", {"total": "true"}, "options.total", "invalid_value"),
            ("restart", {"total": 1}, "options.total", "invalid_value"),
            ("restart", {"total": None}, "options.total", "invalid_value"),
            ("cancel", {"total": True}, "options.total", "unknown_field"),
            ("restart", {"rate": 0}, "options.rate", "out_of_range"),
            ("restart", {"rate": -1}, "options.rate", "out_of_range"),
            ("restart", {"rate": 1e-300}, "options.rate", "out_of_range"),
            ("restart", {"rate": 100_001}, "options.rate", "out_of_range"),
            ("restart", {"rate": HUGE}, "options.rate", "out_of_range"),
            ("restart", {"rate": 10**5000}, "options.rate", "out_of_range"),
            ("restart", {"rate": NAN}, "options.rate", "out_of_range"),
            ("restart", {"rate": INFINITY}, "options.rate", "out_of_range"),
            ("restart", {"rate": "5"}, "options.rate", "invalid_value"),
            ("restart", {"rate": True}, "options.rate", "invalid_value"),
            ("restart", {"rate": [5]}, "options.rate", "invalid_value"),
            ("restart", {"canary": 0}, "options.canary", "out_of_range"),
            ("restart", {"canary": 10_001}, "options.canary", "out_of_range"),
            ("restart", {"canary": 1.5}, "options.canary", "invalid_value"),
            ("restart", {"canary": "all"}, "options.canary", "invalid_value"),
            ("cancel", {"stop_at_failure_rate": 1.01}, "options.stop_at_failure_rate", "out_of_range"),
            ("cancel", {"stop_at_failure_rate": -0.1}, "options.stop_at_failure_rate", "out_of_range"),
            ("cancel", {"stop_at_failure_rate": NAN}, "options.stop_at_failure_rate", "out_of_range"),
            ("cancel", {"stop_at_failure_rate": "20%"}, "options.stop_at_failure_rate", "invalid_value"),
            ("export", {"format": "exe"}, "options.format", "invalid_value"),  # J52
            ("export", {"format": "parquet;rm"}, "options.format", "invalid_value"),
            ("export", {"format": "CSV"}, "options.format", "invalid_value"),
            ("export", {"format": None}, "options.format", "invalid_value"),
            ("export", {"compression": "zstd-99"}, "options.compression", "unknown_field"),  # J53
            ("export", {"payload": "yes"}, "options.payload", "invalid_value"),
        ],
    )
    def test_refuses_an_invalid_option(self, kind, options, field, code):
        filter = {} if kind == "archive" else FAILED
        assert errors_of(kind=kind, filter=filter, options=options) == [(field, code)]

    @pytest.mark.parametrize(
        ("kind", "name", "meant"),
        [
            ("archive", "oder_than_months", "older_than_months"),  # J04
            ("restart", "cannary", "canary"),
            ("cancel", "stop_at_failure", "stop_at_failure_rate"),
            ("export", "Format", "format"),
        ],
    )
    def test_names_the_option_that_was_meant(self, kind, name, meant):
        with pytest.raises(InvalidJob, match=f"Did you mean '{meant}'"):
            checked(kind=kind, filter=FAILED, options={name: 2})

    @pytest.mark.parametrize("name", ["rate", "canary", "stop_at_failure_rate"])
    def test_treats_null_as_off(self, name):
        assert checked(kind="restart", filter=FAILED, options={name: None})[0][name] is None

    @pytest.mark.parametrize("reason", [None, "", "  ", "\n\t", 5, [], {}, True])
    def test_requires_a_reason(self, reason):  # J73
        assert errors_of(reason=reason) == [("reason", "required")]

    @pytest.mark.parametrize(
        ("reason", "code"),
        [("x" * 1001, "too_long"), ("a\0b", "invalid_value"), ("\udc80", "invalid_value")],
    )
    def test_refuses_a_reason_that_cannot_be_stored(self, reason, code):
        assert errors_of(reason=reason) == [("reason", code)]

    def test_does_not_change_a_reason_with_markup(self):  # J46
        assert checked(reason="<script>alert(1)</script>")

    def test_names_every_field_that_is_wrong(self):
        found = errors_of(filter={"state": "NEW"}, options={"where": "1=1"}, reason="x" * 1001)

        assert found == [
            ("reason", "too_long"),
            ("filter.state", "invalid_value"),
            ("options.where", "unknown_field"),
        ]

    def test_names_a_limited_number_of_fields(self):
        assert len(errors_of(options={f"option_{n}": n for n in range(10_000)})) == 50

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("role", "kind", "options"),
        [
            ("operator", "archive", {}),
            ("operator", "restore", {}),
            ("support", "restart", {}),
            ("support", "cancel", {}),
            ("admin", "export", {"payload": True}),  # J51
        ],
    )
    def test_refuses_users_without_permission(self, role, kind, options):  # J03
        with pytest.raises(NotAllowed):
            checked(kind=kind, filter={"state": "OK"}, options=options, user=make_user(role))


class TestCheckRate:
    @pytest.mark.parametrize("rate", [None, 0.01, 5, 100_000])
    def test_accepts_a_rate(self, rate):
        assert check_rate(rate) is None

    @pytest.mark.parametrize("rate", [0, -1, NAN, HUGE, "5", True, []])
    def test_refuses_an_invalid_rate(self, rate):
        assert check_rate(rate).field == "rate"
