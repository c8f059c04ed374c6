"""
Messages with realistic documents, some of which fail for a planted cause, and the analysis of them in this process.

Documents are varied copies of templates: some leaves are always the same, some come from a customer's profile, so that
they belong together, some are ids, texts of any length, amounts or dates, and some are often missing.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa

from spark_tasks.analyses.analysis import Analysis, SampledSide, compare_sides
from spark_tasks.analyses.counting import PairCounts, sum_facts, sum_pairs
from spark_tasks.analyses.message_facts import MESSAGE_COLUMNS
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.sketches import SideCounts, read_counts, write_counts
from tests.support.locks import ROOT

DOCUMENTS = ROOT / "tests" / "documents"
_ENVELOPE = (
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Header><Sender>{sender}</Sender>'
    "<TraceId>{trace}</TraceId><Gateway>{gateway}</Gateway></soap:Header><soap:Body/></soap:Envelope>"
)
_WORDS = [
    "alder",
    "birch",
    "cedar",
    "elm",
    "fir",
    "hazel",
    "holly",
    "larch",
    "lime",
    "maple",
    "oak",
    "pine",
    "rowan",
    "spruce",
    "willow",
    "yew",
]
# Leaves that real documents of this kind have and the templates lack.
_FURTHER_LEAVES = [
    "Currency",
    "PaymentMeans",
    "Terms/Code",
    "Terms/Days",
    "Terms/Note",
    "Delivery/Date",
    "Delivery/Street",
    "Delivery/City",
    "Delivery/PostalZone",
    "Delivery/Country",
    "Delivery/Floor",
    "Delivery/Remark",
    "Buyer/Reference",
    "Buyer/Contact",
    "Buyer/Street",
    "Buyer/Country",
    "Buyer/VatId",
    "Seller/Contact",
    "Seller/Iban",
    "Seller/Country",
    "Contract/Id",
    "Contract/Type",
    "Project",
    "CostCentre",
    "Priority",
    "Incoterm",
    "Carrier",
    "Channel",
    "Total/Net",
    "Total/Tax",
    "Total/Gross",
    "TaxCategory",
    "Remark",
]
_LINE = "/OrderedLine"
_BETWEEN_LINES = "\x1f"


class Cause(StrEnum):
    """The kinds of causes that are planted."""

    VALUE = "value"
    MISSING = "missing"
    PAIR = "pair"
    LENGTH = "length"
    SENDER = "sender"


Values = dict[str, str]


@dataclass
class Message:
    """
    A message before it is written.

    Args:
        values: by path of the leaf, without the root's name; without those that are missing.
    """

    operation: str
    sender: str
    template: int
    as_json: bool
    values: Values


@dataclass
class LeafHabit:
    """The values that one leaf has: a function of the customer and of chance."""

    kind: str
    make_value: Callable[[int], str]
    missing_share: float = 0.0


@dataclass
class Template:
    """A document, and the habits of its leaves by path."""

    root: ElementTree.Element
    habits: dict[str, LeafHabit] = field(default_factory=dict)


class World:
    """One hub's documents, customers and habits, from one seed."""

    def __init__(self, seed: int, *, folder: Path = DOCUMENTS) -> None:
        self.rng = random.Random(seed)
        self.customers = self.rng.randint(5, 40)
        self.senders = [f"SYS{number}" for number in range(self.rng.randint(3, 9))]
        files = sorted(folder.glob("*.xml"))
        self.templates = [
            self._make_template(path) for path in self.rng.sample(files, self.rng.choice([1, 1, 2, 3]))
        ]
        self.as_json = self.rng.random() < 0.3

    def _make_template(self, path: Path) -> Template:
        template = Template(_without_namespaces(ElementTree.fromstring(path.read_bytes())))
        for name in self.rng.sample(_FURTHER_LEAVES, self.rng.randint(12, len(_FURTHER_LEAVES))):
            _append_leaf(template.root, name)
        for leaf_path, leaf in _leaves(template.root):
            if leaf_path not in template.habits:
                template.habits[leaf_path] = self._make_habit((leaf.text or "").strip())
        return template

    def _make_habit(self, text: str) -> LeafHabit:
        rng = self.rng
        kind = rng.choices(
            ["constant", "few", "profile", "id", "text", "amount", "date"], [25, 20, 15, 12, 12, 10, 6]
        )[0]
        missing = rng.uniform(0.01, 0.3) if rng.random() < 0.2 else 0.0
        few = [f"{text[:12] or 'V'}{number}" for number in range(rng.randint(2, 8))]
        weights = [rng.uniform(0.05, 1) for _ in few]
        of_profile = [rng.choice(few) for _ in range(self.customers)]
        longest = rng.choice([20, 35, 60, 120])
        makers: dict[str, Callable[[int], str]] = {
            "constant": lambda _customer: text or "X",
            "few": lambda _customer: rng.choices(few, weights)[0],
            "profile": lambda customer: of_profile[customer],
            "id": lambda _customer: f"{rng.randrange(10**9):09d}",
            "text": lambda _customer: _make_words(rng, longest),
            "amount": lambda _customer: f"{rng.lognormvariate(5, 1.5):.2f}",
            "date": lambda _customer: f"2026-11-{rng.randint(20, 28)}",
        }
        return LeafHabit(kind, makers[kind], missing)

    def make_message(self) -> Message:
        rng = self.rng
        number = rng.randrange(len(self.templates))
        # Many messages come from few customers.
        customer = min(int(rng.expovariate(4 / self.customers)), self.customers - 1)
        sender = (
            self.senders[customer % len(self.senders)] if rng.random() < 0.7 else rng.choice(self.senders)
        )
        values = {
            path: habit.make_value(customer)
            for path, habit in self.templates[number].habits.items()
            if rng.random() >= habit.missing_share
        }
        lines = rng.randint(1, 4)
        for name, choices in (("Sku", 30), ("Unit", 3)):
            values[f"{_LINE}/{name}"] = _BETWEEN_LINES.join(
                f"{name}{rng.randrange(choices)}" for _ in range(lines)
            )
        return Message(f"op{number}", sender, number, self.as_json, values)

    def write_message(self, message: Message) -> dict[str, str | int | None]:
        """Return a message as a row with MESSAGE_COLUMNS."""
        root = deepcopy(self.templates[message.template].root)
        _fill_values(root, message.values)
        _append_lines(root, message.values)
        payload = (
            json.dumps(_to_object(root))
            if message.as_json
            else ElementTree.tostring(root, encoding="unicode")
        )
        trace = f"{self.rng.randrange(2**32):08x}"
        envelope = _ENVELOPE.format(sender=message.sender, trace=trace, gateway=f"gw{self.rng.randrange(3)}")
        row: dict[str, str | int | None] = dict.fromkeys(MESSAGE_COLUMNS)
        return row | {
            "service_name": "ordering",
            "operation_name": message.operation,
            "source_system": message.sender,
            "object_id": f"{self.rng.randrange(10**6)}",
            "process_id": f"p-{self.rng.randrange(10**9)}",
            "guaranteed_order": "false",
            "exclude_failed_state": "false",
            "node_id": str(self.rng.randint(1, 3)),
            "payload": payload,
            "payload_bytes": len(payload),
            "envelope": envelope,
            "envelope_bytes": len(envelope),
        }


def _without_namespaces(root: ElementTree.Element) -> ElementTree.Element:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _leaves(element: ElementTree.Element, path: str = "") -> Iterator[tuple[str, ElementTree.Element]]:
    for child in element:
        child_path = f"{path}/{child.tag}"
        if len(child):
            yield from _leaves(child, child_path)
        else:
            yield child_path, child


def _fill_values(element: ElementTree.Element, values: Values, path: str = "") -> None:
    for child in list(element):
        child_path = f"{path}/{child.tag}"
        if len(child):
            _fill_values(child, values, child_path)
        elif child_path in values:
            child.text = values[child_path]
        else:
            element.remove(child)


def _append_leaf(root: ElementTree.Element, path: str) -> None:
    element = root
    for name in path.split("/"):
        child = element.find(name)
        element = ElementTree.SubElement(element, name) if child is None else child


def _append_lines(root: ElementTree.Element, values: Values) -> None:
    columns = [
        (path.rpartition("/")[2], values[path].split(_BETWEEN_LINES))
        for path in values
        if path.startswith(_LINE)
    ]
    for number in range(len(columns[0][1])):
        line = ElementTree.SubElement(root, _LINE.strip("/"))
        for name, each in columns:
            ElementTree.SubElement(line, name).text = each[number]


def _to_object(element: ElementTree.Element) -> object:
    if not len(element) and not element.attrib:
        return element.text or ""
    members: dict[str, object] = dict(element.attrib)
    for child in element:
        inner = _to_object(child)
        if child.tag in members:
            first = members[child.tag]
            members[child.tag] = [*first, inner] if isinstance(first, list) else [first, inner]
        else:
            members[child.tag] = inner
    if not len(element):
        members["value"] = element.text or ""
    return members


def _make_words(rng: random.Random, longest: int) -> str:
    text = rng.choice(_WORDS)
    length = rng.randint(4, longest)
    while len(text) < length:
        text += " " + rng.choice(_WORDS)
    return text[:length].strip()


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
# A cause that could be planted: what names it, and which messages have it.
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
    """Return the places of messages that fail: most with the cause, and some others; empty if too few have it."""
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


SCHEMA = pa.schema(
    [(name, pa.string() if kind == "string" else pa.int64()) for name, kind in MESSAGE_COLUMNS.items()]
)


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
