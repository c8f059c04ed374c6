import pytest

from messages_app.access.sessions.views import browser_name

_WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


class TestBrowserName:
    @pytest.mark.parametrize(
        ("told", "name"),
        [
            (
                f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_WEBKIT} Chrome/143.0 Safari/537.36",
                "Chrome on Windows",
            ),
            (
                f"Mozilla/5.0 (Windows NT 10.0) {_WEBKIT} Chrome/143.0 Safari/537.36 Edg/143.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
                "Firefox on macOS",
            ),
            (
                f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) {_WEBKIT} Safari/604.1",
                "Safari on iPhone",
            ),
            (
                f"Mozilla/5.0 (Linux; Android 15) {_WEBKIT} Chrome/143.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            ("curl/8.16.0", "curl"),
            ("", "Unknown"),
        ],
    )
    def test_is_what_its_owner_calls_it(self, told, name):
        assert browser_name(told) == name
