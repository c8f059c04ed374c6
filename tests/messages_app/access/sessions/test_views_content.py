"""The page of a user's sessions with times that all differ."""

from datetime import UTC, datetime, timedelta

from messages_app.access.models import UserSession
from messages_app.access.sessions.views import Line
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def session(number: int, **columns: object) -> UserSession:
    times = {
        name: NOON + timedelta(minutes=number + place)
        for place, name in enumerate(("began_at", "last_used_at", "ends_at"))
    }
    values = {"address": f"192.0.2.{number}", "browser": f"agent {number}"}
    return UserSession(session_id=number, **times | values | columns)


def show(**values: object) -> list[str]:
    context = {
        "lines": [
            Line(session=session(11), browser="Firefox on Linux", is_this=True),
            Line(session=session(21, address=None), browser="curl", is_this=False),
        ],
        "has_others": True,
        "idle_minutes": 31,
        "has_second_factor": True,
        "longest_hours": 12,
    }
    return outline_of(show_block("messages_app/access/sessions.html", **context | values))


class TestSessions:
    def test_show_all_their_values(self):
        assert show() == [
            "Logged in now",
            "(/sessions/end-others/)",
            "End all other sessions",
            "Your sessions, most recently used first",
            "Browser | Address | Started | Last used | Expires if unused | End session",
            (
                "(title: agent 11) Firefox on Linux this session | 192.0.2.11 | 2026-11-02 12:11:00 UTC | "
                "2026-11-02 12:12:00 UTC | 2026-11-02 12:13:00 UTC |"
            ),
            (
                "(title: agent 21) curl | – | 2026-11-02 12:21:00 UTC | 2026-11-02 12:22:00 UTC | "
                "2026-11-02 12:23:00 UTC | (/sessions/21/end/) End the session with curl started "
                "2026-11-02 12:21:00"
            ),
            "[Change your password](/password/)",
            "[Your API tokens](/tokens/?show=own)",
            "[Manage your second factor](/second-factor/)",
            (
                "A session ends after 31 minutes without use, and at the latest 12 hours after it started. "
                "Changing your password ends all your other sessions. Use is recorded once a minute. If "
                "you do not recognise a session, end it and change your password."
            ),
        ]

    def test_offer_no_more_than_there_is(self):
        lines = show(has_others=False, has_second_factor=False, idle_minutes=0)
        assert "End all other sessions" not in lines
        assert "[Manage your second factor](/second-factor/)" not in lines
        assert lines[-1] == (
            "A session ends 12 hours after it started. Changing your password ends all your other "
            "sessions. Use is recorded once a minute. If you do not recognise a session, end it and change "
            "your password."
        )
