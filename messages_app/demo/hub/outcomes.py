"""
The outcome of a message outside the hub: its failing attempts with their errors, and whether it is answered.

Everything follows from the seed and the correlation id, so it does not depend on timing.
"""

from random import Random

from messages_app.demo import failures
from messages_app.demo.failures import Failure
from messages_app.demo.hub.play import Play
from messages_app.demo.world import make_dice
from messages_app.messages.models import Message
from messages_app.shared.message_states import ParentBinding

# An error in the message itself fails two attempts, and is fixed before the third.
CONTENT_CODES = ("E102", "E109")
_CONTENT_TRIES = 2
# The shares of failing messages that fail once, twice, three times, permanently.
_TRIES = (1, 2, 3, 4)
_TRIES_WEIGHTS = (6, 3, 1, 1)
# A SOFT child that fails leaves its parent waiting forever, so that is rarer. Source:
# docs/contributing/spec/cleverbus.md, "Parents and children".
_SOFT_SHARE = 0.1
_NEVER_ANSWERED = 0.02
_NOT_CONFIRMED = 0.01
_BUSINESS_ERROR = 0.02
BUSINESS_ERROR = "BE20: reading differs from the estimate by more than 30 per cent"


def failure_of_try(play: Play, message: Message) -> Failure | None:
    """Return the failure of a message's next attempt; None if it succeeds."""
    if play.is_gentle and _is_corrected(message):
        return None
    if message.failed_error_code in CONTENT_CODES and message.failed_count:
        again = next(one for one in failures.FAILURES if one.code == message.failed_error_code)
        return again if message.failed_count < _CONTENT_TRIES else None
    random = _dice_of(play, message, "tries")
    share = play.failing
    if message.parent_msg_id is not None and message.parent_binding_type != ParentBinding.HARD:
        share *= _SOFT_SHARE
    if random.random() >= share:
        return None
    failure = failures.choose_failure(random)
    tries = 1 if failure.is_fatal else random.choices(_TRIES, _TRIES_WEIGHTS)[0]
    return failure if message.failed_count < tries else None


def _is_corrected(message: Message) -> bool:
    """Whether an operator has sent it with a corrected payload, which its correlation id ends with."""
    return message.correlation_id.endswith(f"_r{message.msg_id}")


def is_answered(play: Play, message: Message) -> bool:
    return _dice_of(play, message, "answer").random() >= _NEVER_ANSWERED


def dice_of_delay(play: Play, message: Message) -> Random:
    """Return the random numbers that decide when its answer arrives."""
    return _dice_of(play, message, "delay")


def is_confirmed(play: Play, correlation_id: str, *, failed_count: int) -> bool:
    """
    Return whether the source system accepts the answer: most immediately, the others at the third attempt.
    """
    luck = make_dice(f"{play.seed} {correlation_id} confirmation").random()
    return luck >= _NOT_CONFIRMED or (failed_count >= 2 and luck >= _NOT_CONFIRMED / 2)


def business_error(play: Play, message: Message) -> str | None:
    """Return the extra data that a route sometimes reports with its result."""
    return BUSINESS_ERROR if _dice_of(play, message, "business").random() < _BUSINESS_ERROR else None


def _dice_of(play: Play, message: Message, what: str) -> Random:
    return make_dice(f"{play.seed} {message.correlation_id} {what}")


class Failed(Exception):
    """The attempt has failed; the error handler writes the failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class Hung(Exception):
    """The route never ends and writes nothing; the repair finds the message."""
