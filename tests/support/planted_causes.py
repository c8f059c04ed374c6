"""Messages that fail for a planted cause, or for none, and their analysis in this process."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pyarrow as pa

from spark_tasks.analyses.analysis import Analysis, SampledSide, compare_sides
from spark_tasks.analyses.counting import PairCounts, sum_facts, sum_pairs
from spark_tasks.analyses.message_facts import MESSAGE_COLUMNS
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.sketches import SideCounts, read_counts, write_counts
from tests.support.business_documents import DOCUMENTS, Message, World

SCHEMA = pa.schema(
    [(name, pa.string() if kind == "string" else pa.int64()) for name, kind in MESSAGE_COLUMNS.items()]
)


class Cause(StrEnum):
    """The kinds of causes that are planted."""

    VALUE = "value"
    MISSING = "missing"
    PAIR = "pair"
    LENGTH = "length"
    SENDER = "sender"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """
    Failing and passing messages of one seed.

    Args:
        expected: the predicates of the planted cause, with normalised paths; empty without a cause.
    """

    failing: list[pa.RecordBatch]
    passing: list[pa.RecordBatch]
    expected: frozenset[tuple[str, str, str, str]]
    words: str


Hit = Callable[[Message], bool]
# A cause that could be planted: its names, and whether a message has it.
Plan = tuple[frozenset[tuple[str, str, str, str]], Hit]


def make_trial(seed: int, cause: Cause | None, *, messages: int = 2_000, folder: Path = DOCUMENTS) -> Trial:
    """Return messages that fail for a cause, or without any."""
    for attempt in range(1_000):
        world = World(seed * 1_000 + attempt, folder=folder)
        pool = [world.make_message() for _ in range(messages)]
        if cause is None:
            fails = set(world.rng.sample(range(messages), world.rng.choice([8, 20, 60, 200, 400])))
            return _make_trial(world, pool, fails, frozenset())
        for _ in range(20):
            plan = _PLANNERS[cause](world, pool)
            if plan and (fails := _choose_failures(world.rng, pool, plan[1])):
                return _make_trial(world, pool, fails, plan[0])
    raise AssertionError(f"No cause {cause} fits seed {seed}.")


def _choose_failures(rng: random.Random, pool: Sequence[Message], is_hit: Hit) -> set[int]:
    """Return the places of messages that fail: most with the cause, and some others; empty if few have it."""
    hits = [place for place, message in enumerate(pool) if is_hit(message)]
    if not 10 <= len(hits) <= 0.3 * len(pool):
        return set()
    strength = rng.uniform(0.7, 1)
    fails = {place for place in hits if rng.random() < strength}
    noise = round(len(fails) * rng.choice([0, 0, 0.05, 0.25]))
    return fails | set(rng.sample(range(len(pool)), noise))


def _make_trial(
    world: World, pool: Sequence[Message], fails: set[int], expected: frozenset[tuple[str, str, str, str]]
) -> Trial:
    sides: tuple[list[dict[str, str | int | None]], ...] = ([], [])
    for place, message in enumerate(pool):
        sides[place not in fails].append(world.write_message(message))
    failing, passing = (
        [
            pa.RecordBatch.from_pylist(rows[start : start + 500], schema=SCHEMA)
            for start in range(0, len(rows), 500)
        ]
        for rows in sides
    )
    return Trial(failing=failing, passing=passing, expected=expected, words=f"{len(fails)} of {len(pool)}")


def _choose_habit(world: World, template: int, kinds: Sequence[str]) -> str | None:
    paths = [path for path, habit in world.templates[template].habits.items() if habit.kind in kinds]
    return world.rng.choice(paths) if paths else None


def _choose_value(world: World, pool: Sequence[Message]) -> tuple[int, str, str] | None:
    """Return a template, a path and one of its values."""
    message = world.rng.choice(pool)
    path = _choose_habit(world, message.template, ["few", "profile"])
    value = path and message.values.get(path)
    return (message.template, path, value) if path and value else None


def _has_value(message: Message, template: int, path: str, value: str) -> bool:
    return message.template == template and message.values.get(path) == value


def _plan_value(world: World, pool: Sequence[Message]) -> Plan | None:
    choice = _choose_value(world, pool)
    if not choice:
        return None
    return _name_cause(choice[1], Kind.VALUE, choice[2]), lambda message: _has_value(message, *choice)


def _plan_pair(world: World, pool: Sequence[Message]) -> Plan | None:
    choices = _choose_value(world, pool), _choose_value(world, pool)
    if not all(choices) or choices[0][:2] == choices[1][:2] or choices[0][0] != choices[1][0]:
        return None
    one, other = (
        {place for place, message in enumerate(pool) if _has_value(message, *choice)} for choice in choices
    )
    both = len(one & other)
    if both > 0.6 * min(len(one), len(other)):
        return None  # Nearly the same as one of them.
    kinds = [world.templates[template].habits[path].kind for template, path, _ in choices]
    if kinds == ["profile", "profile"]:
        return None  # Both say which customers fail, as other fields of these customers do.
    names = (_name_cause(choice[1], Kind.VALUE, choice[2]) for choice in choices)
    return frozenset().union(*names), lambda message: all(_has_value(message, *choice) for choice in choices)


def _plan_missing(world: World, pool: Sequence[Message]) -> Plan | None:
    number = world.rng.randrange(len(world.templates))
    paths = [path for path, habit in world.templates[number].habits.items() if habit.missing_share]
    if not paths:
        return None
    path = world.rng.choice(paths)
    return _name_cause(
        path, Kind.MISSING
    ), lambda message: message.template == number and path not in message.values


def _plan_length(world: World, pool: Sequence[Message]) -> Plan | None:
    number = world.rng.randrange(len(world.templates))
    path = _choose_habit(world, number, ["text"])
    if not path:
        return None
    lengths = sorted(
        len(each.values[path]) for each in pool if each.template == number and path in each.values
    )
    is_long = world.rng.random() < 0.8
    share = world.rng.uniform(0.02, 0.2)
    limit = lengths[int(len(lengths) * (1 - share if is_long else share))]

    def is_hit(message: Message) -> bool:
        if message.template != number or path not in message.values:
            return False
        length = len(message.values[path])
        return length >= limit if is_long else length <= limit

    return _name_cause(path, Kind.AT_LEAST if is_long else Kind.AT_MOST), is_hit


def _plan_sender(world: World, pool: Sequence[Message]) -> Plan | None:
    sender = world.rng.choice(pool).sender
    name = frozenset({("column", "source_system", str(Kind.VALUE), sender)})
    return name, lambda message: message.sender == sender


_PLANNERS: dict[Cause, Callable[[World, Sequence[Message]], Plan | None]] = {
    Cause.VALUE: _plan_value,
    Cause.MISSING: _plan_missing,
    Cause.PAIR: _plan_pair,
    Cause.LENGTH: _plan_length,
    Cause.SENDER: _plan_sender,
}


def _name_cause(path: str, kind: Kind, value: str = "") -> frozenset[tuple[str, str, str, str]]:
    return frozenset({("payload", path.strip("/"), str(kind), value)})


def name_predicate(predicate: Predicate) -> tuple[str, str, str, str]:
    """Return a predicate with a path that is the same in XML and JSON, without the root."""
    path = predicate.field.path
    if path.startswith("$"):
        path = path.replace("[*]", "").removesuffix(".value").removeprefix("$.").replace(".", "/")
    elif path.startswith("/"):
        path = path.split("/", 2)[-1]
    return predicate.field.source.value, path, str(predicate.kind), predicate.value


@dataclass(frozen=True)
class LocalSide:
    """One side of an analysis, counted in this process in two parts, as two tasks of Spark would."""

    batches: Sequence[pa.RecordBatch]

    def count_facts(self) -> SideCounts:
        total = SideCounts()
        for part in (self.batches[::2], self.batches[1::2]):
            total.merge_counts(read_counts(write_counts(sum_facts(iter(part)))))
        return total

    def count_pairs(self, predicates: Sequence[Predicate]) -> PairCounts:
        return sum_pairs(iter(self.batches), predicates)


def analyse_trial(trial: Trial) -> Analysis:
    sides = (SampledSide(side, side) for side in (LocalSide(trial.failing), LocalSide(trial.passing)))
    return compare_sides(*sides)


def is_named_first(trial: Trial, analysis: Analysis) -> bool:
    """Whether the first finding is the planted cause; without one, whether there is no finding."""
    if not trial.expected or not analysis.findings:
        return not trial.expected and not analysis.findings
    names = {name_predicate(each) for each in analysis.findings[0].predicates}
    # Only documents of one operation have the field, so its name may be with the cause.
    return trial.expected in (names, {name for name in names if name[1] != "operation_name"})
