"""The tiles of the first page with contents in which no two numbers are equal."""

from dataclasses import replace

from messages_app.dashboard.guide import Guide
from messages_app.messages.first_steps import Loading
from messages_app.messages.metrics.polling import PollingState
from tests.messages_app.dashboard.contents import (
    CONTENTS,
    FLOW,
    GROUP,
    INCIDENT,
    NO_INCIDENTS,
    STEPS,
    moment,
    show,
    show_lines,
)
from tests.support.page_outlines import outline_of

RESTART = "/jobs/new/?kind=restart&state=FAILED&failure_group=31&canary=20"


class TestOverview:
    def test_shows_all_its_numbers(self):
        assert show_lines(CONTENTS) == [
            (
                "[Failing now {FAILED} 11 as of @2026-11-01T12:02:00Z ago · 13 new in 1 h]"
                "(/messages/?tile=failing) [Waiting too long {POSTPONED} 16 17 an hour ago]"
                "(/messages/?tile=waiting) [Oldest unprocessed @2026-11-01T12:03:00Z POSTPONED]"
                "(/messages/?tile=oldest) [Completed per minute 2.5 3.5 the hour before]"
                "(/messages/?tile=throughput)"
            ),
            "Open incidents 35",
            "[All incidents](/incidents/)",
            "Incidents, most failing messages first",
            "Incident | Failing now | Rate | Began | Owner",
            (
                "{failed} [Connection refused by pay.example](/incidents/32/) billing, order · unowned | "
                "[33](/messages/?incident=32&state=FAILED) | 34/h ▲ rising | @2026-11-01T12:11:00Z | "
                "(/incidents/32/assign/) Take Connection refused by pay.example"
            ),
            "[36 failing messages](/failures/) are in no incident.",
            (
                "Active jobs: [Restart 101](/jobs/101/) {running} running ana [Cancel 102](/jobs/102/) "
                "{paused} paused ben"
            ),
            (
                "Alerts: [Too many](/watch-rules/22/) {paused} 23 % over its limit for "
                "@2026-11-01T12:05:00Z, notifies no one"
            ),
            "[Handover](/handover/)",
            "Traffic, last 3 h",
            "{FAILED} FAILED 62",
            "{PARTLY_FAILED} PARTLY_FAILED 63",
            "{OK} OK 125",
            "bulk job",
            "a week before",
            "(title: Highest bar) 127",
            (
                "(svg viewbox=0 0 70 120) (label: State changes over the last 3 h; the table below has the "
                "numbers)"
            ),
            "{FAILED} (path d=M0 61.4173h8.5v58.5827h-8.5z)",
            "{OK} (path d=M0 3.77953h8.5v57.6378h-8.5z M20 0h8.5v60.4724h-8.5z)",
            "{PARTLY_FAILED} (path d=M20 60.4724h8.5v59.5276h-8.5z)",
            "(path d=M5 91.6535L15 120)",
            "(rect x=0 y=0 width=10 height=120) 2026-11-01 12:00 UTC: 62 FAILED, 61 OK",
            "(rect x=20 y=0 width=10 height=120) 2026-11-01 12:20 UTC: 63 PARTLY_FAILED, 64 OK",
            "(rect x=30.0 y=0 width=2 height=120) Job 65, restart: 2026-11-01 12:30:00 UTC",
            (
                "(svg) (line x1=0.0% x2=0.0% y1=0 y2=4) 12:00 (line x1=21.43% x2=21.43% y1=0 y2=4) 12:15 "
                "(line x1=42.86% x2=42.86% y1=0 y2=4) 12:30 (line x1=64.29% x2=64.29% y1=0 y2=4) 12:45 "
                "(line x1=85.71% x2=85.71% y1=0 y2=4) 13:00"
            ),
            "As a table",
            "State changes over time",
            "From | FAILED | PARTLY_FAILED | OK",
            "2026-11-01 12:00 UTC | 62 | 0 | 61",
            "2026-11-01 12:20 UTC | 0 | 63 | 64",
            "External systems responses",
            "{failing} [crm.example](/systems/crm.example/) 84 of 183 failed",
            "{unknown} [erp.example](/systems/erp.example/) 82 PROCESSING, > 90 FAILED",
            "Stores",
            "[CP queue](/cp-queue/) [2 services stopped](/cp-queue/services/) · 124 parked · 121 ready",
            (
                "[Document history](/document-history/) 132 suspended · [131 in "
                "doubt](/document-history/in-doubt/?state=open)"
            ),
            "[Message store](/message-store/) 151 errors · 152 waiting",
        ]

    def test_shows_that_there_is_nothing(self):
        nothing = {
            "failing": CONTENTS["failing"]
            | {"failing_now": 0, "as_of": None, "hour_ago": None, "retrying": 0},
            "waiting": CONTENTS["waiting"] | {"count": 0, "hour_ago": None},
            "oldest": dict.fromkeys(CONTENTS["oldest"]),
            "alerts": {"alerts": []},
            "incidents": NO_INCIDENTS,
            "groups": {"groups": [], "is_exact": True, "ungrouped": 0},
            "flow": FLOW | {"slices": [], "jobs": []},
            "systems": {"looked_at": 81, "most_counted": 90, "systems": []},
            "jobs": {"jobs": []},
            "cp_queue": CONTENTS["cp_queue"]
            | {"is_exact": False, "parked": 0, "queues": [], "dead_services": []},
            "documents": CONTENTS["documents"]
            | {"open_doubts": 0, "suspended": 0, "oldest_undetermined": None},
            "store": {"by_class": {}, "oldest_due": None},
        }
        markup = show(CONTENTS | nothing)
        assert outline_of(markup) == [
            (
                "[Failing now 0 13 new in 1 h](/messages/?tile=failing) [Waiting too long 0 no progress for "
                "15 min](/messages/?tile=waiting) [Oldest unprocessed –nothing is pending]"
                "(/messages/?tile=oldest) [Completed per minute 2.5 3.5 the hour before]"
                "(/messages/?tile=throughput)"
            ),
            "Open incidents",
            "[All incidents](/incidents/)",
            "Nothing is failing.",
            "No job is active.",
            "No alert is open.",
            "[Handover](/handover/)",
            "Traffic, last 3 h",
            "No message completed or failed in this period.",
            "Stores",
            "[CP queue](/cp-queue/) > 121 ready",
            "[Document history](/document-history/) [0 in doubt](/document-history/in-doubt/?state=open)",
            "[Message store](/message-store/) 0 waiting",
        ]
        assert "u-alarm" not in markup
        assert "data-state" not in markup

    def test_shows_why_parts_were_not_read(self):
        assert show_lines(dict.fromkeys(CONTENTS), fault="Not read.") == [
            (
                "[Failing now Not read.](/messages/?tile=failing) [Waiting too long Not read.]"
                "(/messages/?tile=waiting) [Oldest unprocessed Not read.](/messages/?tile=oldest) "
                "[Completed per minute Not read.](/messages/?tile=throughput)"
            ),
            "Open incidents",
            "[All incidents](/incidents/)",
            "Not read.",
            "Current failures",
            "[All failures](/failures/)",
            "Not read.",
            "Active jobs: Not read.",
            "Alerts: Not read.",
            "[Handover](/handover/)",
            "Traffic, last 3 h",
            "Not read.",
            "External systems responses",
            "Not read.",
            "Stores",
            "[CP queue](/cp-queue/) Not read.",
            "[Document history](/document-history/) Not read.",
            "[Message store](/message-store/) Not read.",
        ]

    def test_marks_what_needs_attention(self):
        assert show(CONTENTS).count("u-alarm") == 5

    def test_says_when_the_last_incident_ended(self):
        ended = NO_INCIDENTS | {"last_closed_at": moment(13)}
        lines = show_lines(CONTENTS | {"incidents": ended})
        assert "No incident is open. The last incident ended 2026-11 ago." in lines

    def test_shows_failure_groups_only_where_no_incident_is_open(self):
        assert "Current failures" not in show_lines(CONTENTS)
        lines = outline_of(show(CONTENTS | {"incidents": NO_INCIDENTS}), within="Current failures")
        assert lines[2:] == [
            "Failure groups, most urgent first",
            "Error | Failing now | Last hour | 24 h",
            "{failed} [Timed out](/failures/31/) billing · E103 · new | 41 | 42 | 44",
        ]

    def test_shows_estimates_as_such(self):
        groups = {"groups": [GROUP | {"failing_now": 4_321}], "is_exact": False, "ungrouped": 1}
        contents = CONTENTS | {"groups": groups, "incidents": NO_INCIDENTS}
        assert outline_of(show(contents), within="Current failures")[4:] == [
            "{failed} [Timed out](/failures/31/) billing · E103 · new | about 4 300 | 42 | 44"
        ]

    def test_marks_only_groups_that_are_new_and_failing(self):
        groups = [
            GROUP | {"state": "regressed", "failed_error_code": "", "failing_now": 0},
            GROUP | {"state": "known"},
            GROUP | {"title": ""},
        ]
        contents = CONTENTS | {
            "groups": {"groups": groups, "is_exact": True, "ungrouped": 0},
            "incidents": NO_INCIDENTS,
        }
        assert outline_of(show(contents), within="Current failures")[4:] == [
            "{skipped} [Timed out](/failures/31/) billing · regressed | 0 | 42 | 44",
            "{skipped} [Timed out](/failures/31/) billing · E103 · known | 41 | 42 | 44",
            "{failed} [No error text](/failures/31/) billing · E103 · new | 41 | 42 | 44",
        ]

    def test_shows_incidents_that_are_taken_or_repaired_in_grey(self):
        taken = INCIDENT | {"owner": "ada", "is_pressing": False, "failing_messages": 30}
        repaired = INCIDENT | {"is_repaired": True, "is_pressing": False, "failing_now": 0}
        contents = CONTENTS | {"incidents": CONTENTS["incidents"] | {"incidents": [taken, repaired]}}
        assert [line for line in show_lines(contents) if line.startswith("{skipped}")] == [
            (
                "{skipped} [Connection refused by pay.example](/incidents/32/) billing, order · ada | 33 in "
                "all stores | 34/h ▲ rising | @2026-11-01T12:11:00Z |"
            ),
            (
                "{skipped} [Connection refused by pay.example](/incidents/32/) billing, order · repaired | "
                "0 | 34/h ▲ rising | @2026-11-01T12:11:00Z | (/incidents/32/assign/) Take Connection refused "
                "by pay.example"
            ),
        ]

    def test_offers_to_take_incidents_only_with_the_permission(self):
        assert "Take" in show(CONTENTS)
        assert "Take" not in show(CONTENTS, may_take=False)

    def test_leads_to_no_job_without_permission_to_see_jobs(self):
        markup = show({name: content for name, content in CONTENTS.items() if name != "jobs"})
        assert "Active jobs" not in markup
        assert "No job is active" not in markup
        assert "/handover/" not in markup

    def test_shows_traffic_without_jobs_or_the_week_before(self):
        lines = show_lines(CONTENTS | {"flow": FLOW | {"jobs": [], "week_before": []}})
        assert "{OK} OK 125" in lines
        assert "bulk job" not in lines
        assert "a week before" not in lines

    def test_sends_its_age_to_the_head_of_an_open_page(self):
        markup = show(CONTENTS, counted_at=moment(50), is_part=True)
        assert 'id="freshness" hx-swap-oob="true"' in markup
        assert outline_of(markup)[0] == "Updated @2026-11-01T12:50:00+00:00"
        assert "freshness" not in show(CONTENTS, counted_at=moment(50))


class TestFirstMinutes:
    def test_show_the_demo_that_is_being_loaded(self):
        steps = replace(STEPS, has_messages=False, loading=Loading(done=300, total=1_200))
        assert show_lines(CONTENTS, first_steps=steps) == [
            "(get /dashboard/part/?window=3h)",
            "Demo data is being loaded",
            "300 of 1 200 messages. They appear together at the end.",
            "<None=25> 25 %",
        ]

    def test_show_an_empty_hub_with_the_tiles_of_the_stores(self):
        steps = replace(STEPS, has_messages=False, is_attached=True)
        assert show_lines(CONTENTS, first_steps=steps)[:5] == [
            "(get /dashboard/part/?window=3h)",
            "No messages yet",
            "The attached hub is empty. Its messages appear here as soon as it has some.",
            "Stores",
            "[CP queue](/cp-queue/) [2 services stopped](/cp-queue/services/) · 124 parked · 121 ready",
        ]

    def test_show_how_to_begin(self):
        contents = {name: CONTENTS[name] for name in ("failing", "flow")}
        markup = show(contents, first_steps=replace(STEPS, has_messages=False))
        lines = outline_of(markup)
        assert lines[:3] == [
            "(get /dashboard/part/?window=3h)",
            "No messages yet",
            "Run one of these commands next to the console. Messages appear here automatically.",
        ]
        assert [line for line in lines if line.startswith("python ")] == [
            "python manage.py attach SCHEMA --dry-run",
            "python manage.py load_messages PATH",
            "python manage.py demo",
        ]
        assert [line for line in lines if line.startswith("[")] == [
            "[How to attach](/docs/howto/attach/)",
            "[Formats of files](/docs/reference/loading/)",
            "[About the demo](/docs/reference/demo/)",
        ]
        assert "Stores" not in markup

    def test_say_that_counts_are_being_built(self):
        steps = replace(STEPS, builds_counts=True, is_late=True)
        assert show_lines(CONTENTS, first_steps=steps, counted_at=moment(50))[0] == (
            "<None> (label: Counting) Counts are being built. Numbers on this page are incomplete until "
            "then; failing messages are counted exactly."
        )

    def test_say_that_counts_are_out_of_date_or_missing(self):
        steps = replace(STEPS, is_late=True)
        assert show_lines(CONTENTS, first_steps=steps, counted_at=moment(50))[0] == (
            "The counts are out of date. Check that the worker for the short queue is running."
        )
        assert (
            show_lines(CONTENTS, first_steps=steps)[0]
            == "Nothing has been counted yet. Check that the worker for the short queue is running."
        )


class TestHints:
    def test_say_when_an_attached_hub_was_polled(self):
        polling = PollingState(
            polled_at=moment(51), seconds=53.0, swept_at=moment(52), remedy="Create triggers."
        )
        assert "by polling, last" in show_lines(CONTENTS, polling=polling)[0]
        assert show_lines(CONTENTS, polling=replace(polling, polled_at=None))[0] == (
            "Changes of the hub are noticed by polling. States between two polls are not recorded. Create "
            "triggers."
        )
        assert show_lines(CONTENTS, polling=replace(polling, polled_at=None, swept_at=None))[0] == (
            "Changes of the hub are noticed by polling. States between two polls are not recorded. Counts "
            "are incomplete until all messages have been read once. Create triggers."
        )

    def test_guide_a_new_user(self):
        guide = Guide(group=GROUP, msg_id=161)
        first, *rest = show_lines(CONTENTS, guide=guide)
        assert first.replace(RESTART, "LINK") == (
            "New here? 41 messages in billing fail with the same error: [see what broke](/failures/31/), "
            "[open one message](/messages/161/), or [restart them all](LINK)."
        )
        assert rest[:2] == ["(/dashboard/guide/)", "(title: Do not show this line again) Dismiss"]
        one = Guide(group=GROUP | {"failing_now": 1}, msg_id=161)
        assert show_lines(CONTENTS, guide=one, may_restart=False)[0] == (
            "New here? 1 message in billing fails with the same error: [see what broke](/failures/31/), "
            "[open one message](/messages/161/)."
        )
