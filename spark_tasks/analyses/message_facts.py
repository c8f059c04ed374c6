"""
Reads the facts of messages: of their columns, and of the leaves of their payloads and envelopes.

Source: docs/contributing/decisions/0041-analyses.md, "Facts".
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from spark_tasks.analyses.facts import MAX_LEAVES, Fact, Leaf, Unreadable, add_leaves, cut_value, round_length
from spark_tasks.analyses.fields import FORMAT, SIZE, Field, FieldTree, Source
from spark_tasks.analyses.leaves import read_json_leaves, read_xml_leaves

# The columns that may be a cause. The hub writes the others while it processes a message, so that they show
# the failure itself (failed_count, business_error, custom_data, times), or they are different in every row.
CAUSE_COLUMNS = (
    "service_name",
    "operation_name",
    "source_system",
    "entity_type",
    "object_id",
    "process_id",
    "parent_msg_id",
    "parent_binding_type",
    "funnel_value",
    "funnel_component_id",
    "guaranteed_order",
    "exclude_failed_state",
    "node_id",
)
_TEXTS = (Source.PAYLOAD, Source.ENVELOPE)
# A text that is not read, because it is too large, is null; its size is known.
MESSAGE_COLUMNS = {
    **dict.fromkeys(CAUSE_COLUMNS, "string"),
    "payload": "string",
    "payload_bytes": "long",
    "envelope": "string",
    "envelope_bytes": "long",
}
# A larger text is only counted by its size.
MAX_TEXT_BYTES = 1_000_000

# Values of the field FORMAT.
XML, JSON, PLAIN, TOO_LARGE, EMPTY = "XML", "JSON", "other text", "too large to read", "empty"

_BLANKS = "\ufeff \t\r\n"


class FactReader:
    """Reads the facts of messages, and keeps the places of documents from one message to the next."""

    def __init__(self) -> None:
        self.tree = FieldTree()
        self.unreadable = 0
        number_field = self.tree.number_field
        self._columns = [(name, number_field(Field(Source.COLUMN, name))) for name in CAUSE_COLUMNS]
        self._formats = {source: number_field(Field(source, FORMAT)) for source in _TEXTS}
        self._sizes = {source: number_field(Field(source, SIZE)) for source in _TEXTS}

    def read_batch(self, batch: pa.RecordBatch) -> Iterator[set[Fact]]:
        """Yield the facts of each message of a batch with MESSAGE_COLUMNS."""
        columns = [(number, batch[name].to_pylist()) for name, number in self._columns]
        texts = [
            (source, batch[source.value].to_pylist(), batch[f"{source}_bytes"].to_pylist())
            for source in _TEXTS
        ]
        for row in range(batch.num_rows):
            facts = _column_facts([(number, values[row]) for number, values in columns])
            for source, bodies, sizes in texts:
                facts |= self._text_facts(source, bodies[row], sizes[row])
            yield facts

    def _text_facts(self, source: Source, text: str | None, size: int | None) -> set[Fact]:
        """Return the facts of one text. Its size is in characters; in bytes if it is too large to be read."""
        if size is None:
            return set()
        number = self._formats[source]
        facts: set[Fact] = set()
        try:
            name, leaves = self._read_leaves(source, text, facts)
        except Unreadable as error:
            self.unreadable += 1
            name, leaves = str(error), []
            facts.clear()  # A field after the fault is not missing.
        add_leaves(facts, leaves[:MAX_LEAVES])
        length = round_length(size if text is None else len(text))
        facts |= {number, (number, name), (self._sizes[source], length)}
        return facts

    def _read_leaves(self, source: Source, text: str | None, facts: set[Fact]) -> tuple[str, list[Leaf]]:
        """Return the format of a text, and its leaves. Arguments and errors are those of read_xml_leaves."""
        if text is None:
            return TOO_LARGE, []
        body = text.strip(_BLANKS)
        root = self.tree.roots[source]
        if body.startswith("<"):
            return XML, read_xml_leaves(body, self.tree, root, facts)
        if body.startswith(("{", "[")):
            return JSON, read_json_leaves(body, self.tree, root, facts)
        return PLAIN if body else EMPTY, []


def _column_facts(values: Sequence[tuple[int, str | None]]) -> set[Fact]:
    facts: set[Fact] = set()
    for number, value in values:
        if value is not None:
            facts.add(number)
            facts.add((number, cut_value(value)))
    return facts
