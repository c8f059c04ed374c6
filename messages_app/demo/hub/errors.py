"""How a route ends early."""

from messages_app.demo.failures import Failure


class Failed(Exception):
    """The try has failed; the error handler writes what of."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class Hung(Exception):
    """The route never comes back, and nobody writes anything: the repair finds the message."""
