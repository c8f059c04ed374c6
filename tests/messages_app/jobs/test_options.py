import pytest

from messages_app.jobs.options import InvalidJob, check_job
from messages_app.jobs.states import JobKind


def errors_of(**changes: object) -> list[tuple[str, str]]:
    """Return field and code of what is wrong with a good job that has these changes."""
    good = {"kind": "archive", "filter": {}, "options": {}, "reason": "the yearly round", "user": None}
    with pytest.raises(InvalidJob) as refusal:
        check_job(**good | changes)
    return [(error.field, error.code) for error in refusal.value.errors]


class TestCheckJob:
    def test_fills_in_what_is_left_out(self):
        options, kept_filter = check_job(kind="archive", filter={}, options={}, reason="r", user=None)
        assert options == {"older_than_months": 2, "to": "tables"}
        assert kept_filter == {}

    def test_keeps_a_filter_as_the_list_reads_it(self):
        asked = {"state": ["FAILED", "CANCEL"], "service_name": "billing"}
        _, kept_filter = check_job(kind="restart", filter=asked, options={}, reason="r", user=None)
        assert kept_filter == {"state": "FAILED,CANCEL", "service_name": "billing"}

    @pytest.mark.parametrize("kind", ["restart", "cancel"])
    def test_refuses_an_empty_filter(self, kind):
        assert errors_of(kind=kind) == [("filter", "required")]
        assert errors_of(kind=kind, filter={"stat": "FAILED"})[0][0] == "filter.stat"

    @pytest.mark.parametrize("months", [None, True, 2.0, "2", [2], {}, float("nan")])
    def test_takes_only_a_whole_number_of_months(self, months):
        assert errors_of(options={"older_than_months": months}) == [
            ("options.older_than_months", "invalid_value")
        ]

    @pytest.mark.parametrize("months", [0, -1, 1201, 10**30])
    def test_keeps_the_months_in_range(self, months):
        assert errors_of(options={"older_than_months": months}) == [
            ("options.older_than_months", "out_of_range")
        ]

    @pytest.mark.parametrize("target", ["parquet", "/etc/passwd", None, 5, []])
    def test_refuses_a_target_that_it_cannot_write(self, target):
        assert errors_of(options={"to": target}) == [("options.to", "invalid_value")]

    @pytest.mark.parametrize("reason", [None, "", "  ", 5, []])
    def test_asks_for_a_reason(self, reason):
        assert errors_of(reason=reason) == [("reason", "required")]

    def test_names_every_field_that_is_wrong(self):
        found = errors_of(filter={"state": "OK"}, options={"where": "1=1"}, reason="x" * 1001)

        assert found == [
            ("reason", "too_long"),
            ("filter", "invalid_value"),
            ("options.where", "unknown_field"),
        ]

    @pytest.mark.parametrize("kind", sorted({JobKind.RESTORE, JobKind.REPROCESS, JobKind.EXPORT}))
    def test_says_of_a_known_kind_that_it_is_not_available_yet(self, kind):
        assert errors_of(kind=kind) == [("kind", "invalid_value")]
