import pyarrow as pa
import pytest

from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.message_facts import CAUSE_COLUMNS, FactReader
from tests.support.planted_causes import SCHEMA


def named_facts(reader: FactReader, **columns: str | int | None) -> set[tuple]:
    """Return the facts of one message: (source, path), or with a value or length."""
    sizes = {
        f"{name}_bytes": len(columns[name])
        for name in ("payload", "envelope")
        if isinstance(columns.get(name), str)
    }
    batch = pa.RecordBatch.from_pylist([dict.fromkeys(SCHEMA.names) | sizes | columns], schema=SCHEMA)
    (facts,) = reader.read_batch(batch)
    fields = reader.tree.fields
    return {(*fields[one[0]], one[1]) if isinstance(one, tuple) else tuple(fields[one]) for one in facts}


class TestReadBatch:
    def test_gives_columns_and_the_leaves_of_both_texts(self):
        facts = named_facts(
            FactReader(), source_system="CRM", payload="<a><b>1</b></a>", envelope='\ufeff {"h": "x"}'
        )

        assert facts == {
            ("column", "source_system"),
            ("column", "source_system", "CRM"),
            ("payload", "format"),
            ("payload", "format", "XML"),
            ("payload", "size", 15),
            ("payload", "/a"),
            ("payload", "/a/b"),
            ("payload", "/a/b", "1"),
            ("payload", "/a/b", 1),
            ("envelope", "format"),
            ("envelope", "format", "JSON"),
            ("envelope", "size", 12),
            ("envelope", "$"),
            ("envelope", "$.h"),
            ("envelope", "$.h", "x"),
            ("envelope", "$.h", 1),
        }

    def test_counts_a_broken_text_and_gives_none_of_its_leaves(self):
        reader = FactReader()

        facts = named_facts(reader, payload="<a><k><b>1</b></k><c>")

        assert facts == {
            ("payload", "format"),
            ("payload", "format", "XML that is not well-formed"),
            ("payload", "size", 21),
        }
        assert reader.unreadable == 1

    def test_gives_the_size_of_a_text_that_was_not_read(self):
        facts = named_facts(FactReader(), payload=None, payload_bytes=65_536_000)

        assert facts == {
            ("payload", "format"),
            ("payload", "format", "too large to read"),
            ("payload", "size", 65_011_712),
        }

    @pytest.mark.parametrize(("payload", "name"), [("UNA:+.? '", "other text"), (" \n", "empty")])
    def test_names_the_format_of_other_texts(self, payload, name):
        assert ("payload", "format", name) in named_facts(FactReader(), payload=payload)

    def test_reads_the_first_leaves_of_a_long_text(self):
        items = "".join(f"<i>{number}</i>" for number in range(3_000))

        values = {
            fact[2]
            for fact in named_facts(FactReader(), payload=f"<a>{items}</a>")
            if fact[1:2] == ("/a/i",) and len(fact) == 3
        }

        assert "1999" in values
        assert "2000" not in values

    def test_has_no_column_that_the_hub_writes_while_it_processes_a_message(self):
        assert not {
            "state",
            "failed_desc",
            "failed_error_code",
            "failed_count",
            "business_error",
            "custom_data",
            "start_process_timestamp",
            "last_process_timestamp",
            "start_in_queue_timestamp",
        } & set(CAUSE_COLUMNS)


class TestParent:
    @pytest.mark.parametrize(
        ("path", "parent"),
        [
            ("/a/b/@c", "/a/b"),
            ("/a", None),
            ("$.a.b", "$.a"),
            ("$.a[*]", "$.a"),
            ("$.a[*].b", "$.a[*]"),
            ("$['a.b']", "$"),
            ("$.a['x[*].y']", "$.a"),
            ("$", None),
            ("format", None),
        ],
    )
    def test_is_the_path_without_its_last_step(self, path, parent):
        assert Field(Source.PAYLOAD, path).parent == (parent and Field(Source.PAYLOAD, parent))
