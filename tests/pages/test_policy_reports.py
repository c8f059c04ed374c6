from collections.abc import Iterator

import pytest

from messages_app.core import middleware
from tests.support.eventually import eventually
from tests.support.log_lines import lines_of


@pytest.fixture
def lines() -> Iterator[list[str]]:
    with lines_of(middleware.log) as told:
        yield told


class TestTakeReports:
    def test_receives_reports_of_the_browser_about_refused_content(self, window, lines):
        window.log_in("support")
        window.page.goto("/messages/?object_id=secret")
        window.page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.wasRun = true";
                document.body.append(script);
            }"""
        )
        eventually(lambda: lines)
        assert lines == ["policy: 'script-src-elem' refused 'inline' on '/messages/'"]
        window.complaints.clear()
