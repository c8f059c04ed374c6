"""
Parents and children: how a tree is grown, and what its parents become.

Source of the rules: docs/spec/cleverbus.md, "Parents and children". A SOFT child ends before the last HARD
one, else its parent would wait forever; where that is wanted, stories.py says so.
"""

from random import Random

from messages_app.demo.drafts import Draft, Senders
from messages_app.demo.lives import SMOOTH, Plot, Times, any_plot, failing_plot, play
from messages_app.demo.world import CHILDREN, SPLIT_INTO, SPLITTER_OPERATION, ChildSpec, Operation
from messages_app.shared.message_states import MessageState, ParentBinding

_LARGEST_SPLIT = 6


def children_of(operation: Operation, random: Random) -> tuple[ChildSpec, ...]:
    """Return what a message of this operation starts."""
    if operation.name == SPLITTER_OPERATION:
        return (SPLIT_INTO,) * random.randrange(2, _LARGEST_SPLIT + 1)
    return CHILDREN.get(operation.name, ())


def largest_size(operation: Operation) -> int:
    """Return how many messages a family of this operation has at most."""
    if operation.name == SPLITTER_OPERATION:
        return 1 + _LARGEST_SPLIT
    return 1 + _size(CHILDREN.get(operation.name, ()))


def _size(specs: tuple[ChildSpec, ...]) -> int:
    return sum(1 + _size(spec.children) for spec in specs)


def grow(
    parent: Draft,
    specs: tuple[ChildSpec, ...],
    *,
    plots: dict[str, Plot],
    senders: Senders,
    times: Times,
    random: Random,
) -> None:
    """
    Let a parent whose route has ended have its children, and theirs, and settle what it becomes.

    `plots` tells by operation how the first such child fares, and is used up; all others fare well.
    """
    parent.move(MessageState.WAITING, parent.processed_at)
    for index, spec in enumerate(specs):
        child = senders.child(parent, spec, index)
        play(child, plots.pop(spec.operation, SMOOTH), times, random)
        if spec.children and child.state == MessageState.OK:
            child.history.pop()
            child.state = MessageState.PROCESSING
            grow(child, spec.children, plots=plots, senders=senders, times=times, random=random)
    settle(parent)


def settle(parent: Draft) -> None:
    """Give a parent that waits the state that its children leave it in."""
    hard = [child for child in parent.children if child.binding == ParentBinding.HARD]
    failed = next((child for child in hard if child.state == MessageState.FAILED), None)
    if failed is not None:
        parent.failure, parent.failed_count = failed.failure, failed.failed_count
        parent.move(MessageState.FAILED, failed.processed_at + 0.01)
    elif hard and all(child.state == MessageState.OK for child in parent.children):
        last = max(hard, key=lambda child: child.processed_at)
        _end_soft_ones_before(last, parent.children)
        parent.move(MessageState.OK, last.processed_at + 0.01)


def _end_soft_ones_before(last: Draft, children: list[Draft]) -> None:
    """Shift the last HARD child's end behind the SOFT ones', so that its end finds all others OK."""
    latest = max(child.processed_at for child in children)
    if latest > last.processed_at:
        state_before, state, _ = last.history[-1]
        last.history[-1] = (state_before, state, latest + 0.01)
        last.processed_at = latest + 0.01


def any_family(
    operation: Operation, received_at: float, *, senders: Senders, times: Times, random: Random
) -> Draft:
    """Return one message as it fares on an ordinary day, with its children if it has any."""
    root = senders.root(operation, received_at)
    specs = children_of(operation, random)
    if not specs:
        play(root, any_plot(random), times, random)
        return root
    play(root, SMOOTH if random.random() < 0.97 else failing_plot(random), times, random)
    if root.state == MessageState.OK:
        root.history.pop()
        root.state = MessageState.PROCESSING
        plots = _any_plots(specs, random)
        grow(root, specs, plots=plots, senders=senders, times=times, random=random)
    return root


def _any_plots(specs: tuple[ChildSpec, ...], random: Random) -> dict[str, Plot]:
    """Let one family in twelve have a HARD child that fails permanently, or for some tries."""
    luck = random.random()
    if luck > 0.08:
        return {}
    hard = random.choice([spec for spec in specs if spec.binding == ParentBinding.HARD])
    return {hard.operation: failing_plot(random) if luck < 0.03 else any_plot(random)}
