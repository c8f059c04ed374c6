"""Each rule finds what it is for, passes what is right, and in the product finds what is listed alone."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import pytest

from messages_app.cp_queue.models import CpMessage
from messages_app.jobs.models import JobChunk
from messages_app.messages.models import Message
from tests.rules import allowed, rules
from tests.rules.sources import PACKAGES, Module, modules
from tests.support.locks import ROOT

SQL, LOOKUPS, WRITES, MARKUP, UNUSED, PARTICIPLES = rules.IN_PYTHON
ALLOWED = {SQL: allowed.SQL, WRITES: allowed.WRITES}
ALLOWED_IN_FILES = {rules.writes_markup: allowed.SCRIPTS, rules.formats_in_python: allowed.FORMATS}
NAMES = {"CpMessage": CpMessage, "JobChunk": JobChunk, "Message": Message, "services": sys, "_WAIT": "2s"}
# What a rule finds in a function of `request`, `column` and `row`.
BAD = {
    SQL: [
        'cursor.execute(f"SELECT {column}")',
        'cursor.execute("SELECT %s" % column)',
        'cursor.execute("SELECT {}".format(column))',
        'cursor.execute("SELECT " + column)',
        'text = f"SELECT {column}"\n    cursor.executemany(text, [])',
        'text = "SELECT 1"\n    text += column\n    cursor.execute(text)',
        'text = "SELECT 1"\n    text = text + column\n    cursor.execute(text)',
        'text = "SELECT {}"\n    text = text.format(column)\n    cursor.execute(text)',
        "cursor.execute(column)",
        "cursor.execute(self._text(column))",
        'cursor.execute(statements.read_text("of_column").format(column=column))',
        'cursor.copy(f"COPY {column} TO STDOUT")',
        'cursor.stream(f"SELECT {column}")',
        'cursor.execute(sql.SQL(column).format(table=sql.Identifier("message")))',
        'Message.objects.raw("SELECT 1")',
    ],
    LOOKUPS: [
        "rows.filter(**request.GET.dict())",
        "rows.exclude(**form.cleaned_data)",
        "rows.filter(Q(**serializer.validated_data))",
        "rows.order_by(*request.query_params.getlist('sort'))",
        "rows.order_by(request.GET['sort'])",
        "rows.annotate(**json.loads(column))",
        "wanted = {name: value for name, value in request.GET.items()}\n    rows.filter(**wanted)",
        "wanted = {}\n    for name in request.POST:\n        wanted[name] = 1\n    rows.filter(**{name: 1})",
        "rows.get(**{'pk': 1, **request.data})",
    ],
    WRITES: [
        "row.save()",
        "row.delete()",
        "Message.objects.filter(pk=1).delete()",
        "Message.objects.bulk_update([row], ['state'])",
        "CpMessage.objects.filter(pk=column).delete()",
        "self.rows().first().save(update_fields=['state'])",
    ],
    MARKUP: [
        "format_html(column)",
        "format_html(f'<b>{column}</b>')",
        "format_html_join(column, '{}', [])",
        "def __html__(self): return column",
    ],
    UNUSED: [
        "_WAIT = 1\n_WAIT = 1",
        "pass\n_WAIT: int = 1",
        "pass\n_MOST, _LEAST = 2, 1\nprint(_LEAST)",
        "pass\ndef _wait(): return 1",
    ],
    PARTICIPLES: [
        "pass\ndef found(): return 1",
        "pass\ndef _refused(): return 1",
        "pass\ndef freed(): return 1",
        "pass\nclass View:\n    def kept(self): return 1",
        "pass\n@register.filter\ndef counted(row): return 1",
    ],
}
GOOD = {
    SQL: [
        'cursor.execute("SELECT %s", [column])',
        'cursor.execute(statements.read_text("of_column"), [column])',
        "cursor.execute(f\"SET lock_timeout = '{_WAIT}'\")",
        'text = "SELECT 1" if column else "SELECT 2"\n    cursor.execute(text)',
        'cursor.execute(sql.SQL(statements.read_text("x")).format(column=sql.Identifier(column)))',
        'text = "SELECT 1"\n    text = text + " FOR UPDATE"\n    cursor.execute(text)',
        'text = sql.SQL("{}")\n    text = text.format(column)\n    cursor.execute(text)',
        "request.GET.copy()",
    ],
    LOOKUPS: [
        "rows.filter(**{'guid': request.GET['guid']})",
        "wanted = {name: form.cleaned_data[name] for name in _NAMES}\n    rows.filter(**wanted)",
        "rows.filter(**lookups(FILTERS, values))",
        "column = column or 'msg_id'\n    rows.filter(**{column: 1})",
        "rows.order_by('-msg_id')",
    ],
    WRITES: ["JobChunk.objects.filter(job_id=1).delete()", "services.delete(guid=column)", "delete(row)"],
    MARKUP: ["format_html('<b>{}</b>', column)", "format_html_join('', '{}', [])"],
    UNUSED: ["return _WAIT\n_WAIT = 1", "_WAIT = 1", "_wait()\ndef _wait(): return 1", "pass\nMOST = 1"],
    PARTICIPLES: [
        "pass\ndef find_row(): return 1",
        "pass\ndef refused_items(): return 1",
        *(f"pass\ndef {name}(): return 1" for name in ("read", "run", "feed", "succeed", "embed", "listen")),
        "pass\nclass Rows:\n    @cached_property\n    def failed(self): return 1",
        "def wrapped(): return 1\n    return wrapped",
    ],
}
BAD_IN_FILES = {
    rules.leaves_text_unescaped: ["{{ text|safe }}", "{{ rows | safeseq }}", "{% autoescape off %}"],
    rules.writes_markup: [
        "part.innerHTML = text",
        "part.outerHTML += text",
        "part.insertAdjacentHTML('beforeend', text)",
        "document.write(text)",
        "range.createContextualFragment(text)",
        "new DOMParser().parseFromString(text, 'text/html')",
    ],
    rules.formats_in_templates: [
        "{% widthratio rate 1 100 %} %",
        "{{ rate|floatformat:1 }}",
        '{{ rate|floatformat:"-2" }}',
        "{{ count|intcomma }}",
        "{{ moment|timesince }}",
        "<p>{{ share }}% failed</p>",
        "<p>{{ minutes }}min</p>",
        "<h2>Last 24h</h2>",
        "<p>50% of them</p>",
        '<td><span class="u-soft">none</span></td>',
        "<dd>{% if age %}{{ age }}{% else %}nothing{% endif %}</dd>",
        "<td>-</td>",
        '{{ name|default:"–" }}',
        '{{ name|default:"none" }}',
    ],
    rules.formats_in_scripts: [
        "at.textContent = rate.toFixed(1)",
        'at.textContent = count.toLocaleString("en")',
        "new Intl.NumberFormat()",
        "at.textContent = `${share}%`",
        'at.textContent = share + "%"',
    ],
    rules.formats_in_python: ['f"{share:.0%}"', 'f"{rate:.1f} a second"', 'f"{count:,} rows"'],
}
GOOD_IN_FILES = {
    rules.leaves_text_unescaped: ["{{ text|safe_name }}", "{{ unsafe }}", '<p hx-swap="innerHTML">'],
    rules.writes_markup: ["part.textContent = text", "fresh.innerHTML === part.innerHTML"],
    rules.formats_in_templates: [
        "{{ share|percent }} of them",
        '<rect width="50%" data-rate="{{ rate|floatformat:"2u" }}">',
        '<input placeholder="-24h">',
        "<h2>Last 24 h</h2>",
        "{% if age %}{{ age }}{% else %}–{% endif %}",
        '{{ name|default:"" }}{{ text|default:"No error text" }}',
        "<p>None in this time.</p>",
    ],
    rules.formats_in_scripts: ["at.textContent = words(seconds)", "at.style.width = width"],
    rules.formats_in_python: ['f"{percent(share)} failed"', 'f"{local:%H:%M:%S}"', 'f"{number:02d}"'],
}
# What ruff's own rules hold, each by its number.
BAD_FOR_RUFF = {
    "S301": "import pickle\n\npickle.loads(text)\n",
    "S307": "eval(text)\n",
    "S311": "import random\n\nrandom.random()\n",
    "S324": "import hashlib\n\nhashlib.md5(text)\n",
    "S602": "import subprocess\n\nsubprocess.run(text, shell=True)\n",
    "S308": "from django.utils.safestring import mark_safe\n\nmark_safe(text)\n",
    "S608": "cursor.execute(f'SELECT 1 FROM {table}')\n",
    "S610": "from django.contrib.auth.models import User\n\nUser.objects.extra(select={'a': text})\n",
    "S611": "from django.db.models.expressions import RawSQL\n\nRawSQL(text, [])\n",
}


@pytest.fixture(scope="module")
def product():
    return list(modules())


class TestRules:
    @pytest.mark.parametrize(("rule", "line"), [(rule, line) for rule in BAD for line in BAD[rule]])
    def test_find_violations(self, rule, line):
        assert list(rule(_example(line)))

    @pytest.mark.parametrize(("rule", "line"), [(rule, line) for rule in GOOD for line in GOOD[rule]])
    def test_accept_correct_code(self, rule, line):
        assert list(rule(_example(line))) == []

    @pytest.mark.parametrize("rule", rules.IN_PYTHON)
    def test_hold_in_the_product_except_for_listed_exceptions(self, product, rule):
        found = _numbered(place for module in product for place in rule(module))
        assert set(found) == set(_reasons(ALLOWED, rule))

    def test_check_the_whole_product(self, product):
        names = {module.name for module in product}
        assert len(names) > 500
        assert {
            "hubconsole.urls",
            "messages_app",
            "messages_app.messages.services",
            "spark_tasks.moves",
        } <= names


class TestRulesOfFiles:
    @pytest.mark.parametrize(
        ("rule", "line"), [(rule, line) for rule in BAD_IN_FILES for line in BAD_IN_FILES[rule]]
    )
    def test_find_violations(self, rule, line):
        assert len(rule(line)) == 1

    @pytest.mark.parametrize(
        ("rule", "line"), [(rule, line) for rule in GOOD_IN_FILES for line in GOOD_IN_FILES[rule]]
    )
    def test_accept_correct_code(self, rule, line):
        assert rule(line) == []

    @pytest.mark.parametrize(("rule", "folder", "ending"), rules.IN_FILES)
    def test_hold_in_the_product_except_for_listed_exceptions(self, rule, folder, ending):
        files = sorted(folder.rglob(f"*.{ending}"))
        assert len(files) > 10
        found = _numbered(str(file.relative_to(ROOT)) for file in files for _ in rule(file.read_text()))
        assert set(found) == set(_reasons(ALLOWED_IN_FILES, rule))


_READS_SQL = re.compile(r"\.sql\b[^\n]*read_text|read_text[^\n]*\.sql\b")
_LOADER = "messages_app/shared/sql_files.py"


class TestSqlFiles:
    @pytest.mark.parametrize(
        "line",
        [
            'text = resources.files("a").joinpath("sql/b.sql").read_text()',
            '(SQL / f"{name}.sql").read_text()',
        ],
    )
    def test_find_code_that_reads_a_file_itself(self, line):
        assert _READS_SQL.search(line)

    def test_are_read_by_one_class(self):
        files = [
            path for folder in (*PACKAGES, "benchmarks", "tests") for path in (ROOT / folder).rglob("*.py")
        ]
        readers = {str(path.relative_to(ROOT)) for path in files if _READS_SQL.search(path.read_text())}

        assert readers == {_LOADER, "tests/rules/test_rules.py"}

    def test_cast_no_number_without_its_sign(self):
        """PostgreSQL reads -9223372036854775808::bigint as the negative of a number that is out of range."""
        bare = re.compile(r"%\(\w+\)s::bigint\b(?!\[)")
        files = [path for folder in PACKAGES for path in (ROOT / folder).rglob("*.sql")]
        found = [path.name for path in files if bare.search(path.read_text())]
        # Executors send these values apart from the statement.
        assert sorted(found) == ["key_paths.sql", "keyed_messages.sql"]


class TestRuff:
    @pytest.mark.parametrize(("number", "text"), BAD_FOR_RUFF.items())
    @pytest.mark.parametrize("package", ["hubconsole", "messages_app/messages", "spark_tasks"])
    def test_rejects_names_that_no_rule_searches_for(self, number, text, package):
        ruff = [sys.executable, "-m", "ruff", "check", "--output-format", "concise"]
        run = subprocess.run(
            [*ruff, "--stdin-filename", f"{package}/example.py", "-"],
            cwd=ROOT,
            input=text,
            capture_output=True,
            text=True,
        )
        assert f" {number} " in run.stdout


def _example(line: str) -> Module:
    return Module("example", ast.parse(f"def example(self, request, column, row):\n    {line}\n"), NAMES)


def _numbered(places: Iterable[str]) -> Iterator[str]:
    """Yield places; the second in one function, or file, with #2 behind it."""
    seen: Counter[str] = Counter()
    for place in places:
        seen[place] += 1
        yield place if seen[place] == 1 else f"{place}#{seen[place]}"


def _reasons(listed: Mapping, rule: object) -> Mapping[str, str]:
    return listed.get(rule, {})
