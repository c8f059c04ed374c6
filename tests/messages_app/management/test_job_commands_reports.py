from messages_app.management.job_commands import report_lines


class TestReportLines:
    def test_reports_figures_by_name_and_sizes_in_words(self):
        report = {
            "would_free_bytes": {"message": 74_980_742, "funnel": 995_565},
            "by_state": {"OK": 25_338, "FAILED": 738},
            "by_funnel": {"": 193},
            "samples": [2, 6],
            "kept_responses_without_time": 26,
        }
        assert list(report_lines(report)) == [
            "by_funnel: - 193",
            "by_state: OK 25338, FAILED 738",
            "kept_responses_without_time: 26",
            "samples: 2, 6",
            "would_free_bytes: message 71.5 MB, funnel 972.2 KB",
        ]

    def test_omits_repeated_unknown_and_empty_values(self):
        report = {"planned": 3, "skipped": {"locked": 1}, "estimate": {"to_do": 2}, "seconds": None}
        assert list(report_lines(report | {"by_error": {}, "rate_is_chosen": False})) == []

    def test_shows_how_many_calls_each_system_would_get(self):
        systems = {"billing": {"sent_again": 9, "skipped": 0}}
        assert list(report_lines({"systems": systems})) == ["systems: billing sent_again 9, skipped 0"]
