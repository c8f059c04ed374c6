import json
import subprocess
import sys

import pytest

from messages_app.shared.text_safety import MASK
from spark_tasks.analyses.fields import FORMAT, SIZE, Field, Source
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.proportions import Shares
from spark_tasks.analyses.reports import Finding, mask_finding, read_finding, write_finding
from spark_tasks.analyses.sentences import write_alternatives, write_sentence

XML = Predicate(Field(Source.PAYLOAD, "/Invoice/Iban"), Kind.VALUE, "CH93 0076")
JSON = Predicate(Field(Source.ENVELOPE, "$.customers['anna@example.org'].iban"), Kind.MISSING)
COLUMN = Predicate(Field(Source.COLUMN, "source_system"), Kind.VALUE, "CRM")
LENGTH = Predicate(Field(Source.PAYLOAD, "/Invoice/Note"), Kind.AT_LEAST, length=36)
FINDING = Finding((XML, COLUMN), Shares(9, 10, 2, 40), (JSON, LENGTH))


class TestWriteFinding:
    def test_gives_values_flags_and_numbers(self):
        report = write_finding(FINDING)

        assert report == {
            "predicates": [
                {
                    "source": "payload",
                    "field": "/Invoice/Iban",
                    "kind": "value",
                    "value": "CH93 0076",
                    "length": 0,
                    "is_sensitive": True,
                },
                {
                    "source": "column",
                    "field": "source_system",
                    "kind": "value",
                    "value": "CRM",
                    "length": 0,
                    "is_sensitive": False,
                },
            ],
            "same_as": report["same_as"],
            "failing": 9,
            "failing_total": 10,
            "passing": 2,
            "passing_total": 40,
            "lift": 18.0,
            "influence": 0.6057,
            "difference": 0.85,
            "difference_low": 0.5248,
            "difference_high": 0.9397,
        }

    def test_is_read_again_from_json_as_the_same(self):
        assert read_finding(json.loads(json.dumps(write_finding(FINDING)))) == FINDING

    def test_has_no_lift_without_a_passing_message(self):
        assert write_finding(Finding((XML,), Shares(9, 9, 0, 40)))["lift"] is None


class TestMaskFinding:
    def test_hides_values_of_texts_and_paths_of_json_everywhere(self):
        masked = mask_finding(write_finding(FINDING))
        sentences = write_sentence(read_finding(masked)) + write_alternatives(read_finding(masked))

        for secret in ("CH93", "anna", "iban"):
            assert secret not in json.dumps(masked)
            assert secret not in sentences
        assert sentences.startswith(
            f"9 of 10 have Iban {MASK} and source system CRM; 2 of the 40 processed ones do"
        )
        assert f"no {MASK} in the envelope and Note with at least 36 characters" in sentences

    def test_changes_nothing_else(self):
        report = write_finding(FINDING)

        masked = mask_finding(report)

        assert {**masked, "predicates": 0, "same_as": 0} == {**report, "predicates": 0, "same_as": 0}
        assert masked["predicates"][1] == report["predicates"][1]
        assert masked["same_as"][1] == report["same_as"][1]
        assert report == write_finding(FINDING)

    @pytest.mark.parametrize(
        "predicate",
        [
            Predicate(Field(Source.PAYLOAD, FORMAT), Kind.VALUE, "empty"),
            Predicate(Field(Source.PAYLOAD, SIZE), Kind.AT_LEAST, length=9),
            Predicate(Field(Source.ENVELOPE, "/e/Header"), Kind.MISSING),
            Predicate(Field(Source.PAYLOAD, "/e/Note"), Kind.EMPTY),
        ],
    )
    def test_shows_what_a_masked_payload_shows(self, predicate):
        report = write_finding(Finding((predicate,), Shares(9, 9, 0, 40)))

        assert mask_finding(report) == report


def test_web_processes_load_neither_spark_nor_arrow_for_sentences():
    program = (
        "import sys, spark_tasks.analyses.sentences;"
        " print(sorted({'pyspark', 'pyarrow', 'numpy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout == "[]\n"
