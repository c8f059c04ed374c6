"""
Messages with realistic documents, for analyses of what failing ones have in common.

Documents are varied copies of templates: some leaves are always the same, some come from a customer's
profile, so that they belong together, some are ids, texts, amounts or dates, and some are often missing.
"""

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from spark_tasks.analyses.message_facts import MESSAGE_COLUMNS
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


Values = dict[str, str]


@dataclass
class Message:
    """
    A message before it is written.

    Args:
        values: by path of the leaf, without the root's name. Missing leaves have none.
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
        self.rng = random.Random(seed)  # noqa: S311 - nothing is kept secret by it
        self.customers = self.rng.randint(5, 40)
        self.senders = [f"SYS{number}" for number in range(self.rng.randint(3, 9))]
        files = sorted(folder.glob("*.xml"))
        self.templates = [
            self._make_template(path) for path in self.rng.sample(files, self.rng.choice([1, 1, 2, 3]))
        ]
        self.as_json = self.rng.random() < 0.3

    def _make_template(self, path: Path) -> Template:
        document = ElementTree.fromstring(path.read_bytes())  # noqa: S314 - one of our own
        template = Template(_without_namespaces(document))
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
