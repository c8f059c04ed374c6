"""The monitor of the message store with numbers that all differ."""

from messages_app.core.reason_form import ReasonForm
from messages_app.message_store.models import MessageLine
from messages_app.message_store.retry_times import Timing
from messages_app.message_store.settings import Limits
from messages_app.message_store.states import badge_of
from messages_app.message_store.views.monitor import LimitsForm, _Wait
from tests.messages_app.message_store.views.test_dashboard_content import AGES, MONITOR, moment
from tests.support.page_outlines import outline_of, show_block

TIMING = Timing(
    age_multiplier=0.25,
    age_exponent=0.75,
    minimum_delay=61,
    minimum_delay_multiplier=2.5,
    maximum_delay=7_200,
    message_timeout=86_400,
)
NOW = Limits(interval=30, threads=4, queue=50, process_timeout=600, timing=TIMING)
WAITS = [
    _Wait(age=5, seconds=62, tried=63, width=64.0),
    _Wait(age=604_800, seconds=None, tried=65, width=66.0),
    _Wait(age=60, seconds=67, tried=None, width=0.0),
]


def markup(**values: object) -> str:
    context = {
        "monitor": MONITOR,
        "is_late": False,
        "ages": AGES,
        "queue_share": 43,
        "worker_share": 44,
        "held": [],
        "timeout_days": 9,
        "timing": TIMING,
        "form": LimitsForm(None, now=NOW),
        "why": ReasonForm(auto_id="set_%s"),
        "set_here": [],
        "waits": WAITS,
        "may_set": True,
        "may_archive": True,
        "may_reprocess": True,
    }
    return show_block("messages_app/message_store/monitor.html", block="store_content", **context | values)


def show(**values: object) -> list[str]:
    return outline_of(markup(**values))


class TestMonitor:
    def test_shows_all_its_numbers(self):
        assert show() == [
            "Status",
            "Last scan: 2021-03-04 12:05:00 UTC",
            "2021-03 ago",
            "Interval: 30 s",
            "Queue: [12 of 90](/message-store/messages/?status=3)",
            "(svg viewbox=0 0 100 1)",
            "{IN_QUEUE} (rect width=43 height=1)",
            "Workers busy: [13 of 8](/message-store/messages/?status=1)",
            "(svg viewbox=0 0 100 1)",
            "{PROCESSING} (rect width=44 height=1)",
            "Longest current attempt: @2026-11-02T12:04:00Z",
            "Attempt timeout: 10 min",
            "Timeouts in 9 days: 21 of attempts, 22 in the queue",
            "latest in the hour from 2026-11-02 12:06:00 UTC",
            "Wait between attempts",
            "Wait before the next attempt, by age",
            "Message age | Wait | Chart",
            "5 s | 62 s | (svg viewbox=0 0 100 1) {WAITING} (rect width=64.0 height=1)",
            "7 d | gives up | (svg viewbox=0 0 100 1) {WAITING} (rect width=66.0 height=1)",
            "60 s | 67 s | (svg viewbox=0 0 100 1) {WAITING} (rect width=0.0 height=1)",
            (
                "0.25 × age to the power of 0.75; at least 61 s and 2.5 times the duration of the "
                "attempt, at most 2 h. A message older than 24 h is given up (status 26). The settings come "
                "from the environment variables HUBCONSOLE_STORE_…, unless changed here."
            ),
            "Try other settings",
            "(/message-store/monitor/)",
            "Scan interval (s)",
            "<interval>",
            "Max parallel messages",
            "<threads>",
            "Max queued messages",
            "<queue>",
            "Attempt timeout (s)",
            "<process_timeout>",
            "Min wait (s)",
            "<minimum_delay>",
            "Max wait (s)",
            "<maximum_delay>",
            "Min wait as a multiple of the attempt",
            "<minimum_delay_multiplier>",
            "Age exponent",
            "<age_exponent>",
            "Age multiplier",
            "<age_multiplier>",
            "Gives up at age (s)",
            "<message_timeout>",
            "Show effect",
            "History",
            (
                "Every attempt is stored with its full log. You can archive old attempts once or on a "
                "schedule. The newest attempt of each message is kept."
            ),
            (
                "[Archive old attempts](/jobs/new/?kind=archive_history) [Schedule this "
                "job](/schedules/new/?kind=archive_history)"
            ),
        ]

    def test_warns_of_a_late_scan(self):
        assert show(is_late=True)[0] == (
            "The last scan was 2021-03 ago. Check that the scheduler and its worker are running. "
            "Pending messages are not processed until the next scan."
        )
        lost = type(MONITOR)(
            **vars(MONITOR) | {"last_scan_at": None, "interval": None, "last_timeout_hour": None}
        )
        ages = type(AGES)(**vars(AGES) | {"oldest_processing": None})
        assert show(is_late=True, monitor=lost, ages=ages)[:12] == [
            "There has been no scan yet. Pending messages are not processed until the next scan.",
            "Status",
            "Last scan: never",
            "Interval: –",
            "Queue: [12 of 90](/message-store/messages/?status=3)",
            "(svg viewbox=0 0 100 1)",
            "{IN_QUEUE} (rect width=43 height=1)",
            "Workers busy: [13 of 8](/message-store/messages/?status=1)",
            "(svg viewbox=0 0 100 1)",
            "{PROCESSING} (rect width=44 height=1)",
            "Longest current attempt: –",
            "Attempt timeout: 10 min",
        ]

    def test_shows_settings_that_are_tried(self):
        form = LimitsForm({"threads": "7", "age_exponent": "0.5"}, now=NOW)
        lines = show(form=form, may_archive=False)
        start = lines.index("Message age | Wait | New wait | Chart")
        assert [line for line in lines[start:] if not line.startswith("<") or "=" in line] == [
            "Message age | Wait | New wait | Chart",
            "5 s | 62 s | 63 s | (svg viewbox=0 0 100 1) {WAITING} (rect width=64.0 height=1)",
            "7 d | gives up | 65 s | (svg viewbox=0 0 100 1) {WAITING} (rect width=66.0 height=1)",
            "60 s | 67 s | gives up | (svg viewbox=0 0 100 1) {WAITING} (rect width=0.0 height=1)",
            (
                "0.25 × age to the power of 0.75; at least 61 s and 2.5 times the duration of the "
                "attempt, at most 2 h. A message older than 24 h is given up (status 26). The settings come "
                "from the environment variables HUBCONSOLE_STORE_…, unless changed here."
            ),
            "*",
            "Try other settings",
            "(/message-store/monitor/)",
            "Scan interval (s)",
            "Max parallel messages",
            "<threads=7>",
            "Max queued messages",
            "Attempt timeout (s)",
            "Min wait (s)",
            "Max wait (s)",
            "Min wait as a multiple of the attempt",
            "Age exponent",
            "<age_exponent=0.5>",
            "Age multiplier",
            "Gives up at age (s)",
            "Show effect",
            "[Discard](/message-store/monitor/)",
            "Not saved yet: max parallel messages 7 instead of 4, age exponent 0.5 instead of 0.75.",
            "(/message-store/monitor/settings/)",
            "Reason (recorded in the audit log)",
            "Save settings",
        ]
        assert 'name="threads" value="7"' in " ".join(markup(form=form).split())
        assert lines.count("Save settings") == 1
        assert "Save settings" not in show(form=form, may_set=False)
        assert "Administrators can save these settings." in show(form=form, may_set=False)

    def test_shows_settings_that_were_set_here(self):
        changed = [
            ("threads", "Max parallel messages", "4", "7"),
            ("queue", "Max queued messages", "50", "60"),
        ]
        lines = show(set_here=changed)
        start = next(place for place, line in enumerate(lines) if line.startswith("Changed here"))
        assert lines[start : start + 6] == [
            "Changed here: max parallel messages 7 (4), max queued messages 60 (50).",
            "Use environment settings",
            "(/message-store/monitor/settings/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reset settings",
        ]
        assert "Reset settings" not in show(set_here=changed, may_set=False)

    def test_shows_messages_that_are_in_progress_for_long(self):
        held = [
            (
                MessageLine(
                    message_identifier=f"0193-{number}",
                    status=status,
                    claimed_at=moment(number),
                    source_system=f"s{number}",
                    source_entity=f"e{number}",
                ),
                badge_of(status),
                status == 1,
            )
            for number, status in ((71, 1), (72, 3))
        ]
        lines = show(held=held, may_archive=False)
        assert lines[lines.index("Longest in progress") :] == [
            "Longest in progress",
            "Messages in progress, longest first",
            "Status | Duration | System / entity | Message | Next step",
            (
                "{running} (title: An attempt is in progress, or died and has not timed out yet.) 1 "
                "processing | @2026-11-02T13:11:00Z | s71 / e71 | "
                "[0193-71](/message-store/messages/0193-71/) | Stuck: the next scan releases it, or "
                "[release it](/message-store/messages/0193-71/#release)"
            ),
            (
                "{running} (title: Queued by the monitor; its attempt has not started.) 3 queued | "
                "@2026-11-02T13:12:00Z | s72 / e72 | [0193-72](/message-store/messages/0193-72/) | In "
                "progress until the timeout"
            ),
        ]
        assert "release it" not in " ".join(show(held=held, may_reprocess=False))
