"""The recipes for common changes can be followed: their code runs, and the names in their sentences exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from messages_app.jobs.kinds import options, registry
from messages_app.jobs.kinds.options import Option
from messages_app.jobs.kinds.spec import KindSpec
from messages_app.messages import hub_columns
from messages_app.messages.field_descriptions import FieldFilter, description_of
from tests.docs.citations import ROOT
from tests.support.recipes import PAGE, read_blocks, run_block

# The blocks that tests run; the page has no others.
BLOCKS = {
    ("Add a column of the message", "tenant_id"),
    ("Add a filter", "tenant_id"),
    ("Add a store", "STORE"),
    ("Add a job kind", "WEIGH"),
    ("Add a job kind", "DEPTH"),
    ("Add a job kind", "Weighing"),
    ("Add a job kind", "Weigh"),
}
# The example's column, and tables.
_NOT_IN_CODE = {"archive_message", "cold_message", "tenant_id"}
_NAME = re.compile(r"`(_?[A-Za-z]\w*)(?:\([^`]*\))?`")
_PACKAGES = ("hubconsole", "messages_app", "spark_tasks", "tests")


class TestBlocks:
    def test_are_all_run_by_tests(self):
        assert len(read_blocks()) == len(BLOCKS)
        assert {(heading, name) for heading, block in read_blocks() for name in _defined_in(block)} >= BLOCKS

    def test_of_a_column_describes_it(self):
        column = run_block("Add a column of the message", defines="tenant_id", names=vars(hub_columns))
        description = description_of(column["tenant_id"])
        assert (description.label, description.key, description.filter) == ("Tenant", "tenant", None)

    def test_of_a_filter_gives_it_to_the_column(self):
        column = run_block("Add a filter", defines="tenant_id", names=vars(hub_columns))
        assert description_of(column["tenant_id"]).filter == FieldFilter(hint="acme", suggests=True)

    def test_of_an_option_and_a_kind_of_job_make_them(self):
        depth = run_block("Add a job kind", defines="DEPTH", names=vars(options))["DEPTH"]
        kind = run_block("Add a job kind", defines="WEIGH", names=vars(registry) | {"DEPTH": depth})["WEIGH"]
        assert isinstance(depth, Option)
        assert isinstance(kind, KindSpec)
        assert kind.options == {"depth": depth}

    def test_with_a_stale_name_fail(self):
        stale = PAGE.read_text("utf-8").replace("describe_field(", "described(")
        with pytest.raises(NameError, match="described"):
            run_block("Add a filter", defines="tenant_id", names=vars(hub_columns), text=stale)


class TestNames:
    def test_in_the_sentences_exist(self):
        assert missing_names(PAGE.read_text("utf-8")) == []

    @pytest.mark.parametrize("name", ["describe_columns(...)", "_BY_STATES", "MessageDescription"])
    def test_that_are_stale_are_found(self, name):
        assert missing_names(f"The function is `{name}`.") == [name.removesuffix("(...)")]

    def test_of_files_exist(self):
        files = re.findall(
            r"\b((?:tests|messages_app|spark_tasks|hubconsole)/[\w/]+(?:\.py)?)", PAGE.read_text()
        )
        assert len(files) > 30
        assert [file for file in files if not (ROOT / file).exists()] == []


def missing_names(text: str) -> list[str]:
    """Return the names in backticks that nothing in the code has, outside the blocks of a page."""
    sentences = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    return sorted(set(_NAME.findall(sentences)) - _names_of_code() - _NOT_IN_CODE)


@cache
def _names_of_code() -> frozenset[str]:
    """Return what the code defines: functions, classes, parameters, fields, constants and modules."""
    names: set[str] = set()
    for package in _PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            names |= {path.stem, *path.relative_to(ROOT).parts}
            names |= set(_defined_in(path.read_text(encoding="utf-8")))
    return frozenset(names)


def _defined_in(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name, body=body):
                names |= {name, *_set_in(body)}
            case ast.Module(body=body):
                names |= set(_set_in(body))
    return names


def _set_in(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements of a module or class set, not those of a function's variables."""
    for statement in body:
        match statement:
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
