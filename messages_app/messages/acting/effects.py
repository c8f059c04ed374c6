"""What follows from a cancel or a restart, in the words of the page that asks for confirmation.

Source: spec/cleverbus.md 3.1, "What follows from it"; 2.5 and 2.7.
"""

from collections.abc import Iterator

from messages_app.messages.inspecting.detail import MessageDetail
from messages_app.messages.states import CONFIRMATION_OPERATION, HUB_OWNED_STATES, ExternalCallState

# The hub's default of countPartlyFailsBeforeFailed: past it, the next failure is final.
TRIES_BEFORE_FAILED = 3
# The hub's defaults of partlyFailedInterval and of the poll's period.
RESTART_WAITS_SECONDS = (60, 120)


def effects_of_cancel(detail: MessageDetail) -> list[str]:
    return list(_cancel(detail))


def effects_of_restart(detail: MessageDetail, *, total: bool) -> list[str]:
    calls = _total_calls(detail) if total else _plain_calls(detail)
    return [*_tries(detail), *calls, *_family(detail), *_order(detail)]


def _cancel(detail: MessageDetail) -> Iterator[str]:
    message = detail.message
    yield "The hub will not try it again. Nothing that it has done already is taken back."
    if message.state in HUB_OWNED_STATES:
        yield (
            f"It is {message.state}, so this is only a request: the hub may overwrite it when it finishes."
        )
    if len(detail.children):
        yield "Its children are not cancelled with it."
    if message.parent_msg_id is not None:
        yield "A parent that waits for it is not told, and may wait for ever."
    yield "No confirmation is sent to the source system."


def _tries(detail: MessageDetail) -> Iterator[str]:
    first, last = RESTART_WAITS_SECONDS
    yield f"The hub takes it up again after {first} to {last} seconds; until then nothing happens."
    failed = detail.message.failed_count
    if failed >= TRIES_BEFORE_FAILED:
        yield f"It has failed {failed} times: it gets one more try, and fails for good if that fails."
    elif failed:
        yield f"It has failed {_counted(failed, 'time')}; the count goes on from there."


def _plain_calls(detail: MessageDetail) -> Iterator[str]:
    through = sum(call.state == ExternalCallState.OK for call in _route_calls(detail))
    if through:
        yield f"{_counted(through, 'external call')} that went through before {_is(through)} not made again."
    pending = len(_route_calls(detail)) - through
    if pending:
        yield f"{_counted(pending, 'external call')} that did not go through {_is(pending)} made again."


def _total_calls(detail: MessageDetail) -> Iterator[str]:
    calls = _route_calls(detail)
    through = sum(call.state == ExternalCallState.OK for call in calls)
    if not through:
        yield "Every external call is made again; none went through before."
        return
    yield f"Every external call is made again, {through} that went through before among them."
    yield "The systems called may do their work twice."


def _route_calls(detail: MessageDetail) -> list:
    return [call for call in detail.calls if call.operation_name != CONFIRMATION_OPERATION]


def _family(detail: MessageDetail) -> Iterator[str]:
    if len(detail.children):
        yield "It has children: processing it again may make them a second time."


def _order(detail: MessageDetail) -> Iterator[str]:
    if detail.message.guaranteed_order:
        yield "Its order is guaranteed: if an older message of its funnel is not through, it fails with E121."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
