from datetime import UTC, datetime, timedelta

from messages_app.document_history.tokens import start_of, token_for

START = datetime(2026, 11, 21, 10, 0, 0, 123456, tzinfo=UTC)


class TestStartOf:
    def test_returns_the_start_to_the_microsecond(self):
        assert start_of(token_for("t", "u", START), "t", "u") == START

    def test_rejects_a_token_of_another_document(self):
        token = token_for("t", "u", START)
        assert start_of(token, "t", "v") is None
        assert start_of(token, "s", "u") is None
        # Joined, both pairs would be the same text.
        assert start_of(token_for("t", "u/v", START), "t/u", "v") is None

    def test_rejects_a_changed_token(self):
        assert start_of("", "t", "u") is None
        later = token_for("t", "u", START + timedelta(seconds=1)).partition(":")[0]
        assert start_of(f"{later}:{token_for('t', 'u', START).partition(':')[2]}", "t", "u") is None
