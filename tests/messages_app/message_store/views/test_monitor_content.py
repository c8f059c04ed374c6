"""The page of the monitor with values that all differ."""

from dataclasses import replace

from django.http import QueryDict

from messages_app.core.pages import ReasonForm
from messages_app.message_store.retry_times import Timing
from messages_app.message_store.settings import Limits
from messages_app.message_store.states import badge_of
from messages_app.message_store.views.monitor import LimitsForm, _Wait
from tests.messages_app.message_store.views.shown_lines import line, moment, show
from tests.messages_app.message_store.views.test_dashboard_content import AGES, MONITOR
from tests.support.page_outlines import show_block

LIMITS = Limits(interval=30, threads=8, queue=90, process_timeout=600, timing=Timing())


class TestMonitor:
    def values(self, query: str = "", **values: object) -> dict[str, object]:
        context = {
            "monitor": MONITOR,
            "is_late": False,
            "ages": AGES,
            "queue_share": 13,
            "worker_share": 99,
            "held": [
                (line(21, claimed_at=moment(4), status=1), badge_of(1), True),
                (line(22, claimed_at=moment(5), status=3), badge_of(3), False),
            ],
            "timeout_days": 7,
            "timing": Timing(
                age_multiplier=1.5,
                age_exponent=2.5,
                minimum_delay=61,
                minimum_delay_multiplier=3.5,
                maximum_delay=62,
                message_timeout=63,
            ),
            "form": LimitsForm(QueryDict(query) if query else None, now=LIMITS),
            "why": ReasonForm(),
            "set_here": [],
            "waits": [
                _Wait(age=31, seconds=32, tried=33, width=34),
                _Wait(age=35, seconds=None, tried=None, width=36),
            ],
            "may_set": True,
            "may_archive": True,
            "may_reprocess": True,
        }
        return context | values

    def show(self, query: str = "", **values: object) -> list[str]:
        return show("monitor", **self.values(query, **values))

    def test_shows_all_its_numbers(self):
        lines = self.show()
        assert lines[: lines.index("Try other settings") + 2] == [
            "Status",
            "Last scan: 2026-11-02 12:05:00 UTC",
            "some time ago",
            "Interval: 30 s",
            "Queue: [12 of 90](/message-store/messages/?status=3)",
            "(svg viewbox=0 0 100 1)",
            "{IN_QUEUE} (rect width=13 height=1)",
            "Workers busy: [13 of 8](/message-store/messages/?status=1)",
            "(svg viewbox=0 0 100 1)",
            "{PROCESSING} (rect width=99 height=1)",
            "Longest current attempt: @2026-11-02T12:04:00Z",
            "Attempt timeout: 10 min",
            "Timeouts in 7 days: 21 of attempts, 22 in the queue",
            "latest in the hour from 2026-11-02 12:06:00 UTC",
            "Wait between attempts",
            "Wait before the next attempt, by the age of the message",
            "Message age | Wait | Chart",
            "31 s | 32 s | (svg viewbox=0 0 100 1) {WAITING} (rect width=34 height=1)",
            "35 s | gives up | (svg viewbox=0 0 100 1) {WAITING} (rect width=36 height=1)",
            (
                "1.5 × age to the power of 2.5; at least 61 s and 3.5 times the duration of the attempt, "
                "at most 62 s. At an age of 63 s a message gives up (26). The settings come from the "
                "environment variables HUBCONSOLE_STORE_…, unless changed here."
            ),
            "Try other settings",
            "(/message-store/monitor/)",
        ]
        assert lines[lines.index("Longest in progress") :] == [
            "Longest in progress",
            "Messages in progress, longest first",
            "Status | Duration | System / entity | Message | Next step",
            (
                "{running} (title: An attempt is in progress, or died and has not timed out yet.) 1 "
                "processing | @2026-11-02T12:04:00Z | system-21 / entity-21 | "
                "[0193-21](/message-store/messages/0193-21/) | Stuck: the next scan releases it, or "
                "[release it](/message-store/messages/0193-21/#release)"
            ),
            (
                "{running} (title: Queued by the monitor; its attempt has not started.) 3 queued | "
                "@2026-11-02T12:05:00Z | system-22 / entity-22 | "
                "[0193-22](/message-store/messages/0193-22/) | In progress until the timeout"
            ),
            "History",
            (
                "Every attempt is stored with its full log. You can archive old attempts once or on a "
                "schedule. The newest attempt of each message is kept."
            ),
            (
                "[Archive old attempts](/jobs/new/?kind=archive_history) [Schedule this "
                "job](/jobs/schedules/new/?kind=archive_history)"
            ),
        ]

    def test_says_that_nothing_scans(self):
        assert self.show(is_late=True)[0] == (
            "The last scan was some time ago. Check that the scheduler and its worker are running. Pending "
            "messages are not processed until the next scan."
        )
        never = replace(MONITOR, last_scan_at=None, interval=None, last_timeout_hour=None)
        lines = self.show(is_late=True, monitor=never, ages=replace(AGES, oldest_processing=None))
        assert (
            lines[0] == "There has been no scan yet. Pending messages are not processed until the next scan."
        )
        assert lines[2:4] == ["Last scan: never", "Interval: –"]
        assert "Longest current attempt: –" in lines
        assert not any(words.startswith("latest in the hour") for words in lines)

    def test_shows_settings_that_are_tried_and_set(self):
        lines = self.show("threads=9&queue=", set_here=[("threads", "Max parallel", "4", "5")])
        assert lines[lines.index("Wait between attempts") : lines.index("Try other settings")] == [
            "Wait between attempts",
            "Wait before the next attempt, by the age of the message",
            "Message age | Wait | New wait | Chart",
            "31 s | 32 s | 33 s | (svg viewbox=0 0 100 1) {WAITING} (rect width=34 height=1)",
            "35 s | gives up | gives up | (svg viewbox=0 0 100 1) {WAITING} (rect width=36 height=1)",
            (
                "1.5 × age to the power of 2.5; at least 61 s and 3.5 times the duration of the attempt, "
                "at most 62 s. At an age of 63 s a message gives up (26). The settings come from the "
                "environment variables HUBCONSOLE_STORE_…, unless changed here."
            ),
            "Changed here: max parallel 5 (4).",
            "Use environment settings",
            "(/message-store/monitor/settings/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reset settings",
            "*",
        ]
        shown = [
            words
            for words in lines
            if words.startswith(("Not saved", "(/message-store/monitor", "Save settings"))
        ]
        assert shown == [
            "(/message-store/monitor/settings/)",
            "(/message-store/monitor/)",
            "Not saved yet: max parallel messages 9 instead of 8.",
            "(/message-store/monitor/settings/)",
            "Save settings",
        ]
        readers = self.show("threads=9", may_set=False, set_here=[("threads", "Max parallel", "4", "5")])
        assert "Administrators can save these settings." in readers
        assert "Save settings" not in readers
        assert "Reset settings" not in readers
        assert "Save settings" not in self.show()

    def test_saves_the_settings_that_were_tried(self):
        page = "messages_app/message_store/monitor.html"
        markup = show_block(page, block="store_content", **self.values("threads=9"))
        assert '<input type="hidden" name="threads" value="9">' in markup
        assert "<details open>" in markup
        assert "store-tried" in markup
        plain = show_block(page, block="store_content", **self.values())
        assert "<details open>" not in plain
        assert "store-tried" not in plain

    def test_offers_what_the_user_may_do(self):
        lines = self.show(may_archive=False, may_reprocess=False)
        assert "Archive old attempts" not in str(lines)
        assert lines[-2].endswith("Stuck: the next scan releases it")
        assert "Longest in progress" not in self.show(held=[])
