import io

from messages_app.management.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class TestProgress:
    def test_writes_a_last_line_without_a_terminal(self):
        stream = io.StringIO()
        with Progress(total=3, unit="messages", stream=stream) as progress:
            progress.update(1)
            progress.update(3)
        assert stream.getvalue() == "3 of 3 messages\n"

    def test_draws_a_bar_on_a_terminal(self):
        stream = Terminal()
        with Progress(total=3, unit="messages", stream=stream) as progress:
            progress.update(3)
        assert "3/3" in stream.getvalue()
