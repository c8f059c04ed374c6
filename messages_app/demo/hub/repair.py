"""
The repair jobs: what hangs in PROCESSING is tried again, or given up. Source: spec/cleverbus.md 2.6.

It knows nothing of what the workers do at the moment: a route that lasts too long is repaired under their
hands, and they overwrite that in the end.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import chain, islice

from messages_app.demo import failures
from messages_app.demo.hub import ending
from messages_app.demo.hub.agenda import Steps, patiently
from messages_app.demo.hub.book import now
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.poll import operations_of
from messages_app.demo.hub.walks import Found, calls_in, messages_in
from messages_app.messages.hub_defaults import REPAIRED_PER_RUN, TRIES_BEFORE_FAILED
from messages_app.messages.models import ExternalCall, Message
from messages_app.messages.services import rules
from messages_app.messages.states import ExternalCallState, MessageState

_PER_TRANSACTION = 10


def repair(stage: Stage) -> Steps:
    """Do one run of both jobs."""
    began = now() - stage.timing.repair_after
    found = [one.msg_id for one in islice(_hanging(stage, began), REPAIRED_PER_RUN)]
    for some in _batches(found):
        given_up = yield from patiently(lambda some=some: _try_again(stage, some))
        for message in given_up:
            yield from ending.fail(stage, message, failures.STUCK)
    calls = list(islice(calls_in(ExternalCallState.PROCESSING, changed_before=began), REPAIRED_PER_RUN))
    for some in _batches(calls):
        yield from patiently(lambda some=some: _free(stage, some))


def _hanging(stage: Stage, began: datetime) -> Iterator[Found]:
    walks = (
        messages_in(state, started_before=began, operations=operations_of(stage))
        for state in sorted(rules().repaired_from)
    )
    return chain.from_iterable(walks)


def _batches(ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), _PER_TRANSACTION):
        yield ids[start : start + _PER_TRANSACTION]


def _try_again(stage: Stage, ids: list[int]) -> list[Message]:
    """Give messages another try, counted as a failure without a text; return those that have none left."""
    given_up = []
    with stage.book.transaction():
        for message in Message.objects.filter(pk__in=ids, state__in=rules().repaired_from).order_by("msg_id"):
            if message.failed_count >= TRIES_BEFORE_FAILED:
                given_up.append(message)
                continue
            stage.write(message, MessageState.PARTLY_FAILED, failed_count=message.failed_count + 1)
    return given_up


def _free(stage: Stage, ids: list[int]) -> None:
    """Let calls be made again that nobody has ended."""
    hanging = ExternalCall.objects.select_for_update().filter(pk__in=ids, state=ExternalCallState.PROCESSING)
    with stage.book.transaction():
        for call in hanging.order_by("call_id"):
            stage.book.change(call, state=ExternalCallState.FAILED, last_update_timestamp=now())
