"""The tiles of the first page with contents in which no two numbers are equal."""

from dataclasses import replace

from messages_app.dashboard.guide import Guide
from messages_app.messages.first_steps import Loading
from messages_app.messages.metrics.polling import PollingState
from tests.messages_app.dashboard.contents import CONTENTS, FLOW, GROUP, STEPS, moment, show, show_lines
from tests.support.page_outlines import outline_of

RESTART = "/jobs/new/?kind=restart&state=FAILED&failure_group=31&canary=20"


class TestTiles:
    def test_show_all_their_numbers(self):
        assert show_lines(CONTENTS) == [
            (
                "[Failing now {FAILED} 11 as of @2026-11-01T12:02:00Z ago · 12 an hour ago · 13 failed in "
                "the last hour (14 the hour before) · 15 retrying as of "
                "@2026-11-02T12:00:00+00:00](/messages/?tile=failing) [Waiting too long {POSTPONED} 16 17 "
                "an hour ago · no progress for 15 min as of "
                "@2026-11-02T12:01:00+00:00](/messages/?tile=waiting) [Oldest unprocessed "
                "@2026-11-01T12:03:00Z 18 min an hour ago · POSTPONED since 2026-11-01 12:03:00 as of "
                "@2026-11-02T12:02:00+00:00](/messages/?tile=oldest) [Completed per minute 2.5 3.5 the "
                "hour before as of @2026-11-02T12:03:00+00:00](/messages/?tile=throughput)"
            ),
            (
                "[Too many](/watch-rules/22/): 23, over the limit since 2026-11-01 12:05:00 UTC "
                "(@2026-11-01T12:05:00Z)"
            ),
            "Current failures",
            "[View all failures](/failures/) as of @2026-11-02T12:05:00+00:00",
            "Failure groups, most urgent first",
            (
                "Error | Failing now | State | Service | Failed in 1 h | Failed in 3 h | Failed in 24 h | "
                "Failed in 7 d"
            ),
            (
                "[Timed out](/failures/31/) E103 | 41 | {failed} new | "
                "[billing](/services/billing/) | 42 | 43 | 44 | 45"
            ),
            "46 more failing messages are in no group yet.",
            "Flow, last 3 h",
            "as of @2026-11-02T12:06:00+00:00",
            "{FAILED} FAILED 62",
            "{PARTLY_FAILED} PARTLY_FAILED 63",
            "{OK} OK 125",
            "bulk job",
            (
                "(svg viewbox=0 0 70 120) (label: State changes over the last 3 h; the table below has the "
                "numbers)"
            ),
            "{FAILED} (path d=M0 61.4173h8.5v58.5827h-8.5z)",
            "{OK} (path d=M0 3.77953h8.5v57.6378h-8.5z M20 0h8.5v60.4724h-8.5z)",
            "{PARTLY_FAILED} (path d=M20 60.4724h8.5v59.5276h-8.5z)",
            "(rect x=0 y=0 width=10 height=120) 2026-11-01 12:00 UTC: 62 FAILED, 61 OK",
            "(rect x=20 y=0 width=10 height=120) 2026-11-01 12:20 UTC: 63 PARTLY_FAILED, 64 OK",
            "(rect x=30.0 y=0 width=2 height=120) Job 65, restart: 2026-11-01 12:30:00 UTC",
            "As a table, as of 12:06:00",
            "State changes over time",
            "From | FAILED | PARTLY_FAILED | OK",
            "2026-11-01 12:00 UTC | 62 | 0 | 61",
            "2026-11-01 12:20 UTC | 0 | 63 | 64",
            "Services, last 3 h",
            "as of @2026-11-02T12:07:00+00:00",
            "Services, by failures",
            "Service | Completed | Failed | Failure rate | p95",
            "[shipping](/services/shipping/) | 71 | 72 | 50 % | 73 s",
            "External systems, last 3 h",
            "as of @2026-11-02T12:08:00+00:00",
            "External systems, most failures first",
            "System | Calls not completed | Responses | Failed | p95",
            (
                "[crm.example](/systems/crm.example/) | {PROCESSING} 82 PROCESSING {FAILED} > 90 FAILED | "
                "83 | 84 | 8.5 s"
            ),
            "[erp.example](/systems/erp.example/) | – | 85 | 86 | 9.5 s",
            "Based on the latest 81 responses and the same number of calls per state.",
            "Longest funnel queues",
            "[View all funnels](/funnels/) as of @2026-11-02T12:09:00+00:00",
            "Funnel values that messages wait for, longest wait first",
            "Value | Held by | Waiting | Since",
            (
                "[account-7](/funnels/?value=account-7&component=route-a) route-a | [95](/messages/95/) "
                "[96](/messages/96/) [97](/messages/97/) | 94 | @2026-11-01T12:06:00Z"
            ),
            "[account-8](/funnels/?value=account-8) | – | 99 | @2026-11-01T12:07:00Z",
            "Active jobs",
            "[View all jobs](/jobs/) as of @2026-11-02T12:10:00+00:00",
            "[Restart 101](/jobs/101/) {running} running ana",
            "[Cancel 102](/jobs/102/) {paused} paused ben",
            "[CP queue](/cp-queue/)",
            "Ready: 121",
            "Reserved: 122",
            "After a retry: 123, 124 parked",
            "[Q12](/cp-queue/queue/?queuename=Q12) : oldest @2026-11-01T12:12:00Z",
            "[Q13](/cp-queue/queue/?queuename=Q13) : oldest @2026-11-01T12:13:00Z",
            "[Q14](/cp-queue/queue/?queuename=Q14) : oldest @2026-11-01T12:14:00Z",
            "Probably dead: [2 services](/cp-queue/services/)",
            "as of @2026-11-02T12:12:00+00:00",
            "[Document history](/document-history/)",
            "In doubt: [131](/document-history/in-doubt/?state=open)",
            "Suspended triggers: 132",
            "Duplicates, 24 h: > 140",
            "Undetermined: oldest @2026-11-01T12:16:00Z",
            "as of @2026-11-02T12:13:00+00:00",
            "[Message store](/message-store/)",
            "Errors: 151",
            "Waiting: 152",
            "In progress: 153",
            "Done: 154",
            "Oldest overdue: @2026-11-01T12:17:00Z",
            "as of @2026-11-02T12:14:00+00:00",
            "[Archive](/archive/)",
            "Rows: 110",
            "Stored: 112 kB",
            "Last run: [done](/jobs/113/) @2026-11-01T12:10:00Z ago",
            "Next run: 2026-11-01 12:11:00",
            "as of @2026-11-02T12:11:00+00:00",
        ]

    def test_show_that_there_is_nothing(self):
        nothing = {
            "failing": CONTENTS["failing"]
            | {"failing_now": 0, "as_of": None, "hour_ago": None, "retrying": 0},
            "waiting": CONTENTS["waiting"] | {"count": 0, "hour_ago": None},
            "oldest": dict.fromkeys(CONTENTS["oldest"]),
            "alerts": {"alerts": []},
            "groups": {"groups": [], "is_exact": True, "ungrouped": 0},
            "flow": FLOW | {"slices": [], "jobs": []},
            "services": {"services": []},
            "systems": {"looked_at": 81, "most_counted": 90, "systems": []},
            "funnels": CONTENTS["funnels"] | {"lanes": []},
            "jobs": {"jobs": []},
            "archive": CONTENTS["archive"] | {"last": None, "next_at": None},
            "cp_queue": CONTENTS["cp_queue"]
            | {"is_exact": False, "parked": 0, "queues": [], "dead_services": []},
            "documents": CONTENTS["documents"]
            | {"open_doubts": 0, "suspended": 0, "oldest_undetermined": None},
            "store": {"by_class": {}, "oldest_due": None},
        }
        markup = show(CONTENTS | nothing)
        lines = outline_of(markup)
        assert [line for line in lines if "as of @" not in line or line[0] == "["] == [
            (
                "[Failing now 0 13 failed in the last hour (14 the hour before) as of "
                "@2026-11-02T12:00:00+00:00](/messages/?tile=failing) [Waiting too long 0 no progress for "
                "15 min as of @2026-11-02T12:01:00+00:00](/messages/?tile=waiting) [Oldest unprocessed "
                "–nothing is pending as of @2026-11-02T12:02:00+00:00](/messages/?tile=oldest) [Completed "
                "per minute 2.5 3.5 the hour before as of "
                "@2026-11-02T12:03:00+00:00](/messages/?tile=throughput)"
            ),
            "Current failures",
            "[View all failures](/failures/) as of @2026-11-02T12:05:00+00:00",
            "Nothing failed in the last 7 days.",
            "Flow, last 3 h",
            "No message completed or failed in this period.",
            "Services, last 3 h",
            "No message completed or failed in this period.",
            "External systems, last 3 h",
            "No calls are waiting, and no responses arrived in this period.",
            "Longest funnel queues",
            "[View all funnels](/funnels/) as of @2026-11-02T12:09:00+00:00",
            "No messages are waiting for a funnel.",
            "Active jobs",
            "[View all jobs](/jobs/) as of @2026-11-02T12:10:00+00:00",
            "No jobs are running or queued.",
            "[CP queue](/cp-queue/)",
            "Ready: > 121",
            "Reserved: 122",
            "After a retry: 123",
            "[Document history](/document-history/)",
            "In doubt: [0](/document-history/in-doubt/?state=open)",
            "Suspended triggers: 0",
            "Duplicates, 24 h: > 140",
            "Undetermined: –",
            "[Message store](/message-store/)",
            "Errors: 0",
            "Waiting: 0",
            "In progress: 0",
            "Done: 0",
            "Oldest overdue: –",
            "[Archive](/archive/)",
            "Rows: 110",
            "Stored: 112 kB",
            "Last run: –",
            "Next run: –",
        ]
        assert "u-alarm" not in markup
        assert 'role="status"' in markup
        assert "is-warning" not in markup

    def test_show_why_they_were_not_read(self):
        lines = show_lines(dict.fromkeys(CONTENTS), fault="Not read.")
        assert [line for line in lines if "as of @" not in line] == [
            "Current failures",
            "Not read.",
            "Flow, last 3 h",
            "Not read.",
            "Services, last 3 h",
            "Not read.",
            "External systems, last 3 h",
            "Not read.",
            "Longest funnel queues",
            "Not read.",
            "Active jobs",
            "Not read.",
            "[CP queue](/cp-queue/)",
            "Not read.",
            "[Document history](/document-history/)",
            "Not read.",
            "[Message store](/message-store/)",
            "Not read.",
            "[Archive](/archive/)",
            "Not read.",
        ]
        assert [line.count("Not read.") for line in lines if line.startswith("[Failing now")] == [4]

    def test_mark_what_needs_attention(self):
        assert show(CONTENTS).count("u-alarm") == 5

    def test_show_no_age_of_an_hour_ago_if_nothing_was_pending_then(self):
        oldest = CONTENTS["oldest"] | {"seconds_hour_ago": None}
        first, *_ = show_lines(CONTENTS | {"oldest": oldest})
        assert "[Oldest unprocessed @2026-11-01T12:03:00Z POSTPONED since 2026-11-01 12:03:00" in first

    def test_count_one_as_one_and_show_estimates_as_such(self):
        groups = {"groups": [GROUP | {"failing_now": 4_321}], "is_exact": False, "ungrouped": 1}
        lines = outline_of(show(CONTENTS | {"groups": groups}), within="Current failures")
        assert lines[4:] == [
            (
                "[Timed out](/failures/31/) E103 | about 4 300 | {failed} new | "
                "[billing](/services/billing/) | 42 | 43 | 44 | 45"
            ),
            "1 more failing message is in no group yet.",
        ]

    def test_show_that_none_of_a_group_is_failing(self):
        quiet = GROUP | {"is_settled": True, "failing_now": 0}
        groups = [
            quiet | {"state": "regressed", "failed_error_code": ""},
            quiet | {"state": "known"},
            GROUP | {"state": "snoozed", "title": ""},
        ]
        markup = show(CONTENTS | {"groups": {"groups": groups, "is_exact": True, "ungrouped": 0}})
        assert outline_of(markup, within="Current failures")[4:] == [
            (
                "[Timed out](/failures/31/) | 0 | {skipped} regressed, none failing | "
                "[billing](/services/billing/) | 42 | 43 | "
                "44 | 45"
            ),
            (
                "[Timed out](/failures/31/) E103 | 0 | {skipped} known | "
                "[billing](/services/billing/) | 42 | 43 | 44 | 45"
            ),
            (
                "[No error text](/failures/31/) E103 | 41 | {planned} snoozed | "
                "[billing](/services/billing/) | 42 | 43 | 44 | 45"
            ),
        ]
        assert markup.count('class="u-soft u-code"') == 2

    def test_lead_to_no_job_without_permission_to_see_jobs(self):
        lines = show_lines({name: content for name, content in CONTENTS.items() if name != "jobs"})
        assert "Active jobs" not in lines
        assert "Last run: done @2026-11-01T12:10:00Z ago" in lines

    def test_show_the_last_run_of_the_archive_without_its_end(self):
        archive = CONTENTS["archive"] | {"last": {"job_id": 113, "state": "failed", "finished_at": None}}
        assert "Last run: [failed](/jobs/113/)" in show_lines(CONTENTS | {"archive": archive})

    def test_show_a_flow_without_jobs(self):
        lines = show_lines(CONTENTS | {"flow": FLOW | {"jobs": []}})
        assert "{OK} OK 125" in lines
        assert "bulk job" not in lines


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
        assert show_lines(CONTENTS, first_steps=steps)[:6] == [
            "(get /dashboard/part/?window=3h)",
            "No messages yet",
            "The attached hub is empty. Its messages appear here as soon as it has some.",
            "[CP queue](/cp-queue/)",
            "Ready: 121",
            "Reserved: 122",
        ]

    def test_show_how_to_begin(self):
        contents = {name: CONTENTS[name] for name in ("failing", "flow")}
        markup = show(contents, first_steps=replace(STEPS, has_messages=False))
        assert outline_of(markup) == [
            "(get /dashboard/part/?window=3h)",
            "No messages yet",
            "Messages appear here as soon as the hub has some. There are three ways to begin:",
            (
                "Attach a hub that is running: python manage.py attach SCHEMA --dry-run Shows what the "
                "console would do, and changes nothing. Its tables stay as they are."
            ),
            (
                "Load files: python manage.py load_messages PATH Loads XML files, or JSON lines with the "
                "hub's columns."
            ),
            (
                "Play the demo: python manage.py demo Loads 50 000 messages of two years with their "
                "failures, jobs and queues."
            ),
        ]
        assert "c-tiles" not in markup

    def test_say_that_counts_are_being_built(self):
        steps = replace(STEPS, builds_counts=True, is_late=True)
        assert show_lines(CONTENTS, first_steps=steps, counted_at=moment(50))[0] == (
            "Counts are being built. Numbers on this page are incomplete until then; failing messages are "
            "counted exactly."
        )

    def test_say_that_counts_are_out_of_date_or_missing(self):
        steps = replace(STEPS, is_late=True)
        assert show_lines(CONTENTS, first_steps=steps, counted_at=moment(50))[0] == (
            "The counts are out of date. Check that the worker for the short queue is running. Updated "
            "@2026-11-01T12:50:00+00:00"
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
