import json
import os
import subprocess
import sys
import time

import pytest

from messages_app.message_store.services.schemas import UnsafeSchema, check_schema, linear_validator

_HOSTILE = "a" * 40 + "!"


def _problems(schema: dict, value: object) -> list[str]:
    return sorted(error.json_path for error in linear_validator(schema).iter_errors(value))


class TestLinearValidator:
    @pytest.mark.parametrize(
        ("schema", "value", "found"),
        [
            ({"pattern": "^(a+)+$"}, _HOSTILE, ["$"]),
            ({"pattern": "^(a|a)*$"}, _HOSTILE, ["$"]),
            ({"pattern": "^(a+)+$"}, "aaa", []),
            ({"pattern": "b"}, "abc", []),
            ({"pattern": r"^\d+$"}, 5, []),
            ({"pattern": "^.é$"}, "xé", []),
            ({"patternProperties": {"^(a+)+$": {"type": "number"}}}, {_HOSTILE: "x", "aaa": "x"}, ["$.aaa"]),
            ({"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, {_HOSTILE: 1}, ["$"]),
            ({"patternProperties": {"^x": {}}, "additionalProperties": False}, {"x1": 1}, []),
            (
                {"properties": {"x": {}}, "additionalProperties": {"type": "string"}},
                {"x": 1, "y": 1},
                ["$.y"],
            ),
            ({"additionalProperties": False}, ["x"], []),
        ],
    )
    @pytest.mark.parametrize(
        "draft", ["", "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"]
    )
    def test_matches_patterns_quickly(self, draft, schema, value, found):
        schema = schema | ({"$schema": draft} if draft else {})
        linear_validator({"pattern": "a"}).is_valid("a")  # loads what it needs
        began = time.monotonic()

        assert _problems(schema, value) == found
        assert time.monotonic() - began < 2

    def test_reads_texts_that_are_not_unicode(self):
        assert _problems({"pattern": "^a"}, "a\ud800") == []

    def test_stays_linear_behind_a_reference(self):
        schema = {"$defs": {"word": {"pattern": "^(a+)+$"}}, "properties": {"id": {"$ref": "#/$defs/word"}}}
        assert _problems(schema, {"id": _HOSTILE}) == ["$.id"]


class TestCheckSchema:
    @pytest.mark.parametrize(
        ("schema", "why"),
        [
            ({"pattern": "(?=a)b"}, "look-around"),
            ({"properties": {"id": {"pattern": r"(a)\1"}}}, "backreferences"),
            ({"anyOf": [{"patternProperties": {"(?!a)": {}}}]}, "look-around"),
            ({"properties": {"id": {"$schema": "http://json-schema.org/draft-07/schema#"}}}, "only its root"),
            ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, "not supported together"),
        ],
    )
    def test_refuses_schemas_that_cannot_be_checked_in_bounded_time(self, schema, why):
        for check in (check_schema, linear_validator):
            with pytest.raises(UnsafeSchema, match=why):
                check(schema)

    @pytest.mark.parametrize(
        "schema",
        [
            {"properties": {"pattern": {"type": "string"}, "patternProperties": {"type": "object"}}},
            {"const": {"pattern": "(?=a)"}},
            {"enum": [{"$schema": "x"}]},
            {"pattern": r"^[A-Z]{2}\d{4,10}$"},
        ],
    )
    def test_accepts_similar_schemas(self, schema):
        check_schema(schema)


# The first use of a schema in a process, while loading what it needs takes longer than the work may. Each use
# is in a copy of one process that has started.
_FIRST_USE = """
import json, os, sys, time, django
django.setup()
from messages_app.core.time_budget import work_limit
from messages_app.message_store.services import schemas

class SlowDisk:
    def find_spec(self, name, path=None, target=None):
        if name in ("jsonschema.validators", "pyarrow.compute"):
            end = time.monotonic() + 3
            while time.monotonic() < end:
                time.sleep(0.01)

sys.meta_path.insert(0, SlowDisk())
for function, schema in json.loads(sys.argv[1]):
    if not os.fork():
        with work_limit(2):
            getattr(schemas, function)(schema)
        print(function, flush=True)
        os._exit(0)
for _ in json.loads(sys.argv[1]):
    os.wait()
"""


class TestWaitForModule:
    def test_does_not_count_against_the_limit_of_the_work(self):
        uses = {
            "refuse_unsafe": {"pattern": "^a+$"},
            "check_schema": {"type": "object"},
            "linear_validator": {"type": "object"},
        }
        command = [sys.executable, "-c", _FIRST_USE, json.dumps(list(uses.items()))]
        found = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
        assert set(found.stdout.split()) == set(uses), found.stderr
