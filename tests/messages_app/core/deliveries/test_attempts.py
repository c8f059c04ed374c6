from collections.abc import Callable
from smtplib import SMTPServerDisconnected

import pytest

from messages_app.core.deliveries.attempts import MAX_ATTEMPTS, TAKING, Failure, attempt_to_send
from messages_app.core.deliveries.ssrf_guard import RefusedAddress
from messages_app.core.deliveries.webhook_calls import NotDelivered


def raising(error: Exception) -> Callable[[], None]:
    def send() -> None:
        raise error

    return send


class TestAttemptToSend:
    def test_sends_once_and_returns_nothing(self):
        sent = []
        assert attempt_to_send(lambda: sent.append(1)) is None
        assert sent == [1]

    @pytest.mark.parametrize(
        ("error", "told"),
        [
            (NotDelivered("500"), "500"),
            (RefusedAddress("10.0.0.1 is private"), "10.0.0.1 is private"),
            (SMTPServerDisconnected("gone"), "The mail server ended the connection."),
            (ValueError("a header"), "a header"),
            (TimeoutError(), "The mail server cannot be reached: no answer in time."),
            (ValueError("e" * 301), "e" * 300),
        ],
    )
    def test_returns_why_it_failed(self, error, told):
        assert attempt_to_send(raising(error)) == Failure(words=told)

    def test_returns_for_how_long_the_receiver_asks_to_wait(self):
        error = NotDelivered("h answered 429.", pause=90)
        assert attempt_to_send(raising(error)) == Failure(words="h answered 429.", pause=90)

    def test_does_not_hide_an_error_of_the_console(self):
        with pytest.raises(KeyError):
            attempt_to_send(raising(KeyError("x")))


class TestLimits:
    def test_are_eight_attempts_and_twenty_rows_from_half_a_minute_on(self):
        assert (MAX_ATTEMPTS, TAKING) == (8, {"pause": 30, "most": 20})
