"""The effect of a job on the page of a new job, with numbers that all differ."""

import json
import re
from datetime import UTC, datetime

import pytest
from django.template.loader import render_to_string

from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.views.create.estimate import Figures, figures_of
from messages_app.jobs.views.create.forms import new_confirmation
from tests.support.page_outlines import outline_of

COUNTED = {
    "planned": 140,
    "to_do": 101,
    "is_exact": True,
    "by_state": {"FAILED": 91, "OK": 10},
    "by_service": {f"service-{number}": 60 - number for number in range(11)},
    "skipped": {"state_conflict": 21, "in_other_job": 18},
    "kept": {"not_old_enough": 31, "in_parquet": None},
    "systems": {
        "crm": {"sent_again": 41, "repeated": 42, "skipped": 43, "asked_before": 44},
        "erp": {"sent_again": 45},
    },
    "samples": [51, 52],
    "seconds": 3_600,
    "rate": 6.5,
    "bytes": 71_000,
}
ESTIMATED = {
    **COUNTED,
    "is_exact": False,
    "to_do_between": [98, 104],
    "basis": {"counts": {"looked_at": 81}, "systems": {"is_exact": False}},
    "by_service": {f"service-{number}": 6_100 - number * 101 for number in range(11)},
}
REPROCESSED = {
    "planned": 7,
    "is_exact": True,
    "rehearsal": {
        "looked_at": 5,
        "records": {"new": 11, "changed": 12, "unchanged": 13, "ended": 14},
        "by_status": {"100": 15, "200": 16},
        "messages": [
            {
                "identifier": "0193-a",
                "status": 100,
                "error": "",
                "records": {"new": 21, "changed": 22, "unchanged": 23, "ended": 24},
            },
            {"identifier": "0193-b", "status": 200, "error": "no key", "records": {"new": 25}},
        ],
    },
}


def figures(report: dict[str, object], kind: str = "restart") -> Figures:
    return figures_of(report, kind=kind, filter={"service_name": "billing"})


def show(report: dict[str, object], kind: str = "restart", job: Job | None = None) -> list[str]:
    shown = {"figures": figures(report, kind), "kind": spec_of(kind).words, "job": job}
    return outline_of(render_to_string("messages_app/jobs/_figures.html", shown))


def show_confirmation(report: dict[str, object], kind: str = "restart", **context: object) -> str:
    shown, spec = figures(report, kind), spec_of(kind)
    seen = new_confirmation(kind=kind, filter={}, about={}, to_do=shown.to_do)
    values = {"figures": shown, "kind": spec.words, "spec": spec, "seen": seen, "typed": seen.number_form()}
    return render_to_string("messages_app/jobs/_confirm_number.html", values | context)


class TestFigures:
    def test_show_all_numbers_of_a_count(self):
        job = Job(watermark=datetime(2026, 11, 2, 12, tzinfo=UTC))
        assert show(COUNTED, job=job) == [
            "101 messages would be restarted",
            "[39](#skipped) would be skipped",
            "[140](/messages/?service_name=billing) selected",
            (
                "Counted, 2026-11-02 12:00:00 UTC. It takes (get /jobs/new/duration/) about 60 min at 6.5/s. "
                "Frees about 71 kB in the live tables."
            ),
            "Final, but not old enough: 31",
            "Messages archived to Parquet are not part of this export; restore them first",
            "Why skipped",
            "Skipped messages by reason",
            "Reason | Share | Messages",
            (
                "Its state does not allow it | (svg viewbox=0 0 100 1) {skipped} (rect width=100.0 "
                "height=1) | 21"
            ),
            "in_other_job | (svg viewbox=0 0 100 1) {skipped} (rect width=85.71 height=1) | 18",
            "External systems called again",
            "42 calls already succeeded and will be repeated. The external systems may process them twice.",
            "Calls to external systems, by system",
            ("System | Will be sent | Already succeeded | Skipped | Previously called"),
            "erp | 45 | | |",
            "crm | 41 | 42 | 43 | 44",
            "State",
            "Selected messages by state",
            "State | Share | Messages",
            (
                "[FAILED](/messages/?service_name=billing&state=FAILED) | (svg viewbox=0 0 100 1) {FAILED} "
                "(rect width=100.0 height=1) | 91"
            ),
            (
                "[OK](/messages/?service_name=billing&state=OK) | (svg viewbox=0 0 100 1) {OK} (rect "
                "width=10.99 height=1) | 10"
            ),
            "Service",
            "Selected messages by service",
            "Service | Share | Messages",
            (
                "[service-0](/messages/?service_name=service-0) | (svg viewbox=0 0 100 1) (rect "
                "width=100.0 height=1) | 60"
            ),
            (
                "[service-1](/messages/?service_name=service-1) | (svg viewbox=0 0 100 1) (rect "
                "width=98.33 height=1) | 59"
            ),
            (
                "[service-2](/messages/?service_name=service-2) | (svg viewbox=0 0 100 1) (rect "
                "width=96.67 height=1) | 58"
            ),
            (
                "[service-3](/messages/?service_name=service-3) | (svg viewbox=0 0 100 1) (rect width=95.0 "
                "height=1) | 57"
            ),
            (
                "[service-4](/messages/?service_name=service-4) | (svg viewbox=0 0 100 1) (rect "
                "width=93.33 height=1) | 56"
            ),
            (
                "[service-5](/messages/?service_name=service-5) | (svg viewbox=0 0 100 1) (rect "
                "width=91.67 height=1) | 55"
            ),
            (
                "[service-6](/messages/?service_name=service-6) | (svg viewbox=0 0 100 1) (rect width=90.0 "
                "height=1) | 54"
            ),
            (
                "[service-7](/messages/?service_name=service-7) | (svg viewbox=0 0 100 1) (rect "
                "width=88.33 height=1) | 53"
            ),
            "3 more, with 153 messages",
            "For example [51](/messages/51/), [52](/messages/52/)",
        ]

    @pytest.mark.parametrize(
        ("kind", "report", "selected"),
        [
            ("restart", {"by_state": {"FAILED": 2}}, "[3](/messages/?service_name=billing) selected"),
            ("restore", {"by_state": {"OK": 3}}, "[3](/messages/?service_name=billing) selected"),
            # A parent or a child does not match the filter.
            ("restore", {"by_state": {"OK": 2}}, "3 selected"),
            # The list has no filter by the age.
            ("archive", {"by_state": {"OK": 3}}, "3 selected"),
            ("group_failures", {}, "3 selected"),
        ],
    )
    def test_link_the_list_that_has_exactly_the_selected_messages(self, kind, report, selected):
        assert show({"planned": 3, "is_exact": True, **report}, kind)[2] == selected

    @pytest.mark.parametrize(
        ("report", "numbers"),
        [
            ({"to_do_between": [90, 112]}, ["between 90 and 120", "[between 28 and 50]"]),
            (
                {"planned_between": [133, 147], "to_do_between": [96, 106]},
                ["about 101", "[about 39]"],
            ),
            (
                {"to_do": 0, "to_do_between": [0, 0], "planned_between": [100, 190]},
                ["0", "[between 100 and 190]"],
            ),
        ],
    )
    def test_bound_what_would_be_skipped(self, report, numbers):
        to_do, skipped = show(ESTIMATED | report)[:2]
        assert [to_do.partition(" message")[0], skipped.partition("(")[0]] == numbers

    def test_name_what_all_messages_have_and_the_filter_does_not(self):
        one = {"planned": 3, "is_exact": True, "by_service": {"billing": 3}, "by_state": {"FAILED": 3}}
        one["by_error"] = {"E103": 3}
        assert show(one)[4:] == ["All of them: state FAILED, error code E103"]
        some = show(one | {"by_service": {"billing": 2, "crm": 1}, "by_error": {"E103": 2}})
        assert some[4] == "All of them: state FAILED"
        assert {"Service", "Error code"} <= set(some)
        assert "State" not in some

    def test_leave_out_the_duration_and_the_size_of_nothing(self):
        nothing = {"planned": 4, "to_do": 0, "is_exact": True, "seconds": 0.1, "rate": 9.0, "bytes": 0}
        assert "takes" not in show(nothing, "archive")[3]
        assert "Frees" not in show(nothing, "archive")[3]

    def test_say_that_one_message_is_left_out(self):
        assert "1 more, with 1 message" in show(
            COUNTED | {"by_service": {f"service-{number}": 9 - number for number in range(9)}}
        )

    def test_show_estimates_as_such(self):
        *numbers, when = show(ESTIMATED)[:4]
        rest = show(ESTIMATED)[4:]
        assert numbers == [
            "about 101 messages would be restarted",
            "[about 39](#skipped) would be skipped",
            "[140](/messages/?service_name=billing) selected",
        ]
        assert when.startswith("Estimated from a sample of 81, 20")
        counted = show(COUNTED)
        assert [line for line in rest if line not in counted] == [
            "External systems called again (estimated)",
            (
                "[service-0](/messages/?service_name=service-0) | (svg viewbox=0 0 100 1) (rect "
                "width=100.0 height=1) | 6 100"
            ),
            (
                "[service-1](/messages/?service_name=service-1) | (svg viewbox=0 0 100 1) (rect "
                "width=98.34 height=1) | 6 000"
            ),
            (
                "[service-2](/messages/?service_name=service-2) | (svg viewbox=0 0 100 1) (rect "
                "width=96.69 height=1) | 5 900"
            ),
            (
                "[service-3](/messages/?service_name=service-3) | (svg viewbox=0 0 100 1) (rect "
                "width=95.03 height=1) | 5 800"
            ),
            (
                "[service-4](/messages/?service_name=service-4) | (svg viewbox=0 0 100 1) (rect "
                "width=93.38 height=1) | 5 700"
            ),
            (
                "[service-5](/messages/?service_name=service-5) | (svg viewbox=0 0 100 1) (rect "
                "width=91.72 height=1) | 5 600"
            ),
            (
                "[service-6](/messages/?service_name=service-6) | (svg viewbox=0 0 100 1) (rect "
                "width=90.07 height=1) | 5 500"
            ),
            (
                "[service-7](/messages/?service_name=service-7) | (svg viewbox=0 0 100 1) (rect "
                "width=88.41 height=1) | 5 400"
            ),
            "3 more, with about 16 000 messages",
        ]

    def test_show_the_dry_run_of_the_first_messages(self):
        assert show(REPROCESSED, "reprocess")[4:] == [
            "Dry run",
            "5 messages processed; nothing was written",
            (
                "Records: 11 new, 12 changed, 13 unchanged, 14 ended by a refresh. Messages: 15 would "
                "become 100 error 100, 16 would become 200 error 200."
            ),
            "Changes by message",
            "Message | Would become | New | Changed | Unchanged | Ended",
            "[0193-a](/message-store/messages/0193-a/) | 100 error 100 | 21 | 22 | 23 | 24",
            "[0193-b](/message-store/messages/0193-b/) | 200 error 200 no key | 25 | 0 | 0 | 0",
        ]

    def test_leave_out_what_is_not_known(self):
        *numbers, when = show({"planned": 1, "is_exact": False})
        assert numbers == [
            "1 message would be restarted",
            "0 would be skipped",
            "[1](/messages/?service_name=billing) selected",
        ]
        assert re.fullmatch(r"Counted, [0-9: -]+ UTC\.", when)
        bounds = {"planned": 1, "to_do_between": [0, 9]}
        assert re.fullmatch(r"Estimated, [0-9: -]+ UTC\.", show(bounds)[3])
        when = show({"planned": 1, "seconds": 0.5})[3]
        assert when.endswith("It takes (get /jobs/new/duration/) under a second.")
        kept = {"planned": 1, "kept": {"not_old_enough": 31}}
        assert show(kept, "archive")[4:] == ["Final, but not old enough: 31"]

    def test_say_that_no_call_was_recorded_and_that_one_is_repeated(self):
        assert show({"planned": 1, "is_exact": True, "systems": {}})[4:] == [
            "External systems called again",
            "No external calls recorded for these messages.",
        ]
        one = {"planned": 1, "is_exact": True, "systems": {"crm": {"sent_again": 2, "repeated": 1}}}
        assert show(one)[4:] == [
            "External systems called again",
            "1 call already succeeded and will be repeated. The external systems may process it twice.",
            "Calls to external systems, by system",
            ("System | Will be sent | Already succeeded | Skipped | Previously called"),
            "crm | 2 | 1 | |",
        ]

    def test_say_that_a_dry_run_selected_no_message(self):
        nothing = {"looked_at": 0, "records": {}, "by_status": {}, "messages": []}
        assert show({"planned": 1, "rehearsal": nothing}, "reprocess")[4:] == [
            "Dry run",
            "0 messages processed; nothing was written",
            "No messages could be selected in time.",
        ]

    def test_omit_records_that_no_refresh_ended(self):
        records = {"new": 1, "changed": 2, "unchanged": 3, "ended": 0}
        run = {**REPROCESSED["rehearsal"], "looked_at": 1, "records": records}
        assert show({"planned": 1, "rehearsal": run}, "reprocess")[4:7] == [
            "Dry run",
            "1 message processed; nothing was written",
            (
                "Records: 1 new, 2 changed, 3 unchanged. Messages: 15 would become 100 error 100, 16 would "
                "become 200 error 200."
            ),
        ]

    def test_request_the_duration_at_another_rate_with_the_number_and_the_usual_rate(self):
        def vals(report: dict[str, object]) -> dict[str, object]:
            context = {"figures": figures(report), "kind": spec_of("restart").words}
            markup = render_to_string("messages_app/jobs/_figures.html", context)
            return json.loads(re.search(r"hx-vals='(.*?)'", markup)[1])

        assert vals(COUNTED) == {"to_do": 101, "usual_rate": "6.50"}
        assert vals({**COUNTED, "rate_is_chosen": True}) == {"to_do": 101, "usual_rate": ""}


class TestRelatives:
    """Members of families that a job moves with the matching messages."""

    def test_are_the_messages_that_no_state_counts(self):
        report = {"planned": 6, "is_exact": True, "by_state": {"OK": 3}}
        assert figures(report, "restore").relatives == 3
        assert "With 3 parents and children of matching messages" in " ".join(show(report, "restore"))
        assert "With about 3 parents" in " ".join(show(report | {"is_exact": False}, "restore"))

    def test_are_zero_if_all_match_or_families_stay(self):
        assert figures({"planned": 3, "is_exact": True, "by_state": {"OK": 3}}, "restore").relatives == 0
        assert figures({"planned": 6, "is_exact": True, "by_state": {"OK": 3}}, "restart").relatives == 0
