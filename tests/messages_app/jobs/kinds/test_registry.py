import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from messages_app.access import roles
from messages_app.jobs.engine.runner import DRIVERS
from messages_app.jobs.kinds.registry import kind_specs, kinds_of, refusal_of_kind, rivals_of, spec_of
from messages_app.shared.job_states import JobKind, StoreName
from tests.hubconsole.console import REPOSITORY
from tests.support.attached import attached_hub

# The two places that may list kinds: their records and their drivers.
_LISTS = {"messages_app/jobs/kinds/registry.py", "messages_app/jobs/engine/runner.py"}
_NAMES = "|".join(JobKind)
# In templates, scripts and SQL: kind == "export", kind in "export cancel", kind IN ('export'), case "export":
_IN_TEXT = re.compile(
    rf"""\bkind\w*\s*(?:[!=]==?|=|(?:not\s+)?\bin\b|<>)\s*[(\[]?\s*["'][^"']*\b(?:{_NAMES})\b|\bcase\s+["'](?:{_NAMES})["']""",
    re.IGNORECASE,
)
# A constraint of the database, by which archive jobs run one at a time; links of layers below jobs.
_NAMING = {
    "messages_app/jobs/models.py",
    "messages_app/messages/detail/buttons.py",
    "messages_app/messages/admin/message_tables.py",
    "messages_app/message_store/admin.py",
}
# In links and forms: ?kind=export, name="kind" value="export".
_IN_LINK = re.compile(rf"""\bkind(?:=|"\s+value=")(?:{_NAMES})\b""")
_TEXTS = ("templates/**/*.html", "static/js/*.js", "messages_app/**/*.sql", "spark_tasks/**/*.sql")


def told_apart(source: str) -> Iterator[int]:
    """Yield the lines that compare a kind of job with a constant, or map kinds to values."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            of_kind = isinstance(node.left, ast.Name | ast.Attribute) and ast.unparse(node.left).endswith(
                "kind"
            )
            values = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
            if _kinds_in(node) or (of_kind and values & set(JobKind)):
                yield node.lineno
        elif isinstance(node, ast.Set | ast.Tuple | ast.List | ast.Dict) and _kinds_in(node) > 1:
            yield node.lineno


def named_in(source: str) -> Iterator[int]:
    """Yield the lines that name a kind by `JobKind`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "JobKind":
            yield node.lineno


def _kinds_in(node: ast.AST) -> int:
    attributes = (each for each in ast.walk(node) if isinstance(each, ast.Attribute))
    return sum(isinstance(each.value, ast.Name) and each.value.id == "JobKind" for each in attributes)


def _files(*patterns: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        for path in Path(REPOSITORY).glob(pattern):
            name = str(path.relative_to(REPOSITORY))
            if name not in _LISTS and "/migrations/" not in name:
                yield name, path.read_text(encoding="utf-8")


class TestKindSpecs:
    def test_have_a_driver_each(self):
        assert set(DRIVERS) == set(kind_specs)

    def test_are_nowhere_distinguished_by_name(self):
        found = {
            name: lines
            for name, text in _files("messages_app/**/*.py", "spark_tasks/**/*.py", "hubconsole/**/*.py")
            if (lines := list(told_apart(text)))
        }
        assert found == {}
        assert [name for name, text in _files(*_TEXTS) if _IN_TEXT.search(text)] == []

    def test_are_named_by_their_records(self):
        found = {
            name: lines
            for name, text in _files("messages_app/**/*.py", "spark_tasks/**/*.py", "hubconsole/**/*.py")
            if name not in _NAMING and "JobKind" in text and (lines := list(named_in(text)))
        }
        assert found == {}

    def test_are_not_named_in_the_links_of_the_pages_of_jobs(self):
        pages = _files("templates/messages_app/jobs/**/*.html")
        assert [name for name, text in pages if _IN_LINK.search(text)] == []

    @pytest.mark.parametrize("link", ['"?kind=export"', '<input name="kind" value="archive">'])
    def test_named_in_a_link_are_found(self, link):
        assert _IN_LINK.search(link)

    @pytest.mark.parametrize("source", ["kind = JobKind.EXPORT", "NewJobForm(JobKind.ARCHIVE, user=user)"])
    def test_named_by_the_enumeration_are_found(self, source):
        assert list(named_in(source))

    @pytest.mark.parametrize(
        "source",
        [
            "job.kind == JobKind.EXPORT",
            "kind in ('export', 'cancel')",
            "{JobKind.EXPORT: 1, JobKind.CANCEL: 2}",
        ],
    )
    def test_that_differ_by_name_are_found(self, source):
        assert list(told_apart(source))

    @pytest.mark.parametrize(
        "text",
        [
            '{% if job.kind == "export" %}',
            '{% if kind_name not in "restart cancel" %}',
            "if (form.dataset.kind !== 'export') return;",
            'case "archive":',
            "AND job.kind IN ('cancel', 'restart')",
            "WHERE kind='export'",
        ],
    )
    def test_distinguished_in_templates_scripts_and_sql_are_found(self, text):
        assert _IN_TEXT.search(text)

    @pytest.mark.parametrize(
        "text",
        ['<input name="kind" value="archive">', 'href="?kind=restart&amp;state=FAILED"', "kind = %(kind)s"],
    )
    def test_links_and_forms_may_name_a_kind(self, text):
        assert not _IN_TEXT.search(text)


# Options of any text whose values all users see, with the reason.
_OPEN_TEXTS = {
    "refresh_entities": "names of entities of a definition",
    "compare_with": "a filter, which may not search payloads",
}


class TestSensitiveOptions:
    def test_are_options_of_their_kind(self):
        wrong = {
            kind: sorted(set(spec.sensitive_options) - set(spec.options)) for kind, spec in kind_specs.items()
        }
        assert not any(wrong.values()), wrong

    def test_are_all_options_of_any_text(self):
        for kind, spec in kind_specs.items():
            texts = {name for name, option in spec.options.items() if _takes_any_text(option.shape)}
            assert texts - set(_OPEN_TEXTS) == set(spec.sensitive_options), kind

    def test_need_the_permission_to_be_given(self):
        for spec in kind_specs.values():
            for name in spec.sensitive_options:
                assert spec.options[name].permission == roles.CAN_VIEW_PAYLOAD


def _takes_any_text(shape: Mapping[str, object]) -> bool:
    types = shape.get("type", [])
    names = {types} if isinstance(types, str) else set(types)
    return bool(names & {"string", "array", "object"}) and "enum" not in shape


class TestSpecOf:
    def test_shows_an_unknown_kind_by_its_name(self):
        odd = spec_of("odd")
        assert (odd.words.verb, odd.words.result, odd.undone_by, odd.is_retryable) == (
            "odd",
            "done",
            "",
            False,
        )


class TestKindsOf:
    def test_separates_all_kinds(self):
        assert sorted(kind for store in StoreName for kind in kinds_of(store)) == sorted(kind_specs)


class TestRivalsOf:
    def test_change_the_same_store(self):
        assert set(rivals_of("export")) == {"archive", "restore", "restart", "cancel", "resend"}
        assert rivals_of("archive_history") == ("reprocess",)


@pytest.mark.django_db(transaction=True)
class TestRefusalOfKind:
    def test_of_a_comparison_names_the_indexes_that_an_attached_hub_lacks(self):
        with attached_hub("CleverBus 2.0"):
            assert str(refusal_of_kind("analyse")) == (
                "This console is attached to a running hub, where it cannot compare failing messages with"
                " processed ones without the indexes that `attach --create-indexes` creates."
            )
            assert refusal_of_kind("export") is None

    def test_allows_a_comparison_where_an_attached_hub_has_the_indexes(self):
        with attached_hub("CleverBus 2.0", "--create-indexes"):
            assert refusal_of_kind("analyse") is None
