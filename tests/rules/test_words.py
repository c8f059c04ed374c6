"""The patterns of wording to avoid match their examples wherever prose is, and pass plain words and code."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.rules import wording
from tests.rules.prose import notes, shown
from tests.rules.words import PATTERNS, found_in
from tests.support.locks import ROOT

TEMPLATE, SCRIPT, MODULE, PAGE = Path("page.html"), Path("page.js"), Path("page.py"), Path("page.md")
STATEMENT, STYLE = Path("page.sql"), Path("page.css")
MAKEFILE, PROJECT, PACKAGES = Path("Makefile"), Path("pyproject.toml"), Path("requirements.txt")
WORKFLOW, UNIT = Path("ci.yml"), Path("web.service")
_EACH = pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.bad)


def faults_in(path: Path, text: str) -> list[str]:
    return found_in(shown(path, text) + notes(path, text))


def planted(text: str) -> list[tuple[Path, str]]:
    """Return a template or script for each place in which a page or its source can contain a text."""
    return [
        (TEMPLATE, f"<p>{text}</p>"),
        (TEMPLATE, f'<p class="u-soft">\n  {{{{ count }}}} messages\n  <b>{text}</b>.\n</p>'),
        (TEMPLATE, f'<button title="{text}">Restart</button>'),
        (TEMPLATE, f'<section aria-label="{text}"></section>'),
        (TEMPLATE, f'{{% include "a.html" with title="{text}" %}}'),
        (TEMPLATE, f"{{% comment %}}{text}. Needs `line`.{{% endcomment %}}"),
        (SCRIPT, f'status.textContent = "{text}";'),
        (SCRIPT, f"status.textContent = `{text}: ${{count}}`;"),
        (SCRIPT, f"  // {text}."),
        (MODULE, f'notices.success(request, "{text}.")'),
        (MODULE, f'text = f"{text}: {{number}}"'),
        (PAGE, f"# Messages\n\n{text}"),
        (PAGE, f"One line\nof a paragraph. {text}.\n"),
        (PAGE, f"- An item.\n- {text}\n  in two lines."),
        (PAGE, f"| name | meaning |\n| --- | {text} |"),
        (PAGE, f"[{text}](jobs.md#states)"),
        (MODULE, f'"""{text}."""'),
        (MODULE, f'def f():\n    """\n    Do it.\n\n    {text}.\n    """'),
        (MODULE, f"x = 1  # {text}."),
        (MODULE, f"# A comment.\n# {text} in two\n# lines.\nx = 1"),
        (STATEMENT, f"-- {text}.\nSELECT 1"),
        (STATEMENT, f"SELECT 1;\n  -- A comment. {text}\n  -- in two lines.\nSELECT 2"),
        (STYLE, f"/* {text}. */\na {{}}"),
        (MODULE, f'text = (\n    "One. "\n    "{text}"\n)'),
        (MAKEFILE, f"# A comment.\n# {text} in two\n# lines.\nup:\n\tmake"),
        (MAKEFILE, f'up:\n\t@test -n "$(PYTHON)" || {{ echo "{text}." >&2; exit 1; }}'),
        (PROJECT, f'name = "hubconsole"\ndescription = "A console. {text}"'),
        (PROJECT, f"limit = 7  # {text}"),
        (PACKAGES, f"# A line.\nDjango==5.2.19  # {text}"),
        (WORKFLOW, f"jobs:\n  # {text}\n  checks:\n    name: checks"),
        (WORKFLOW, f"hooks:\n  - id: lines\n    name: {text}"),
        (UNIT, f"[Unit]\nDescription={text}\n"),
    ]


class TestPatterns:
    @_EACH
    def test_match_their_example_wherever_it_is(self, pattern):
        for path, text in planted(pattern.bad):
            assert any(f"write {pattern.write}" in line for line in faults_in(path, text)), text

    @_EACH
    def test_do_not_match_other_patterns_by_accident(self, pattern):
        assert len(faults_in(TEMPLATE, f"<p>{pattern.bad}</p>")) <= 3

    @pytest.mark.parametrize(
        "text",
        [
            "<p>There are no messages in this queue. It is no longer paused.</p>",
            '<p class="fate" data-fate="skipped">{{ tries }} of {{ canary.size }}</p>',
            "{% comment %}Dry run. Needs `rehearsal` (jobs/views/create/estimate.py).{% endcomment %}",
            '{% url "store-rehearsal" line.pk %}{% if tried == "retry" %} open{% endif %}',
            "<h2>What happened?</h2>",
            "<p>Try again. The hub retries it after 60 s.</p>",
        ],
    )
    def test_pass_plain_words_and_names_in_code(self, text):
        assert faults_in(TEMPLATE, text) == []

    @pytest.mark.parametrize(
        "text",
        [
            'fates = {"canary": told["became_of"]}\ncursor.execute("SELECT tries FROM job")',
            'f"{tries} of {nobody} messages"',
        ],
    )
    def test_pass_sql_and_names_in_modules(self, text):
        assert faults_in(MODULE, text) == []

    @pytest.mark.parametrize(
        "text",
        [
            "```sh\nmanage.py restart --canary 20  # nobody\n```",
            "A paragraph:\n\n    canary = told()\n",
            "The page says *What you see\nis old.* then.",
            "The rows of messages\nwhose state is FAILED, with `told` and [a page](fates.md#at-once).",
        ],
    )
    def test_pass_code_addresses_and_continued_lines_of_pages(self, text):
        assert faults_in(PAGE, text) == []

    @pytest.mark.parametrize(
        ("name", "write"),
        [
            ("test_lets_each_stand_for_itself", "is, shows"),
            ("test_is_none_otherwise", "is not a"),
            ("test_leaves_other_sessions_alone", "only"),
        ],
    )
    def test_match_names_of_tests(self, name, write):
        (fault,) = faults_in(MODULE, f"class TestA:\n    def {name}(self):\n        assert True\n")
        assert f"write {write}" in fault

    def test_pass_code_in_configuration(self):
        assert faults_in(MAKEFILE, "check:\n\t$(PY) -m tests.alone --told nobody\n") == []
        assert faults_in(PROJECT, 'ignore = ["bell", "at once"]\n') == []

    def test_pass_names_in_scripts(self):
        assert faults_in(SCRIPT, 'const tell = (made) => made.matches("[data-fate]");') == []


class TestSearch:
    def test_reads_all_kinds_of_files(self):
        kinds = Counter(path.suffix for path in wording.files())
        assert kinds[".py"] > 1000
        assert min(kinds[".html"], kinds[".sql"], kinds[".md"]) > 50
        assert min(kinds[".js"], kinds[".css"]) > 10

    def test_reads_the_files_that_a_new_contributor_opens_first(self):
        names = {str(path.relative_to(ROOT)) for path in wording.files()}
        assert names >= {
            "CONTRIBUTING.md",
            "Makefile",
            "README.md",
            "pyproject.toml",
            "requirements.txt",
            "requirements-test.txt",
            ".ci/run",
            ".github/workflows/ci.yml",
            ".pre-commit-config.yaml",
            "deploy/nginx.conf",
            "messages_app/shared/error_causes.toml",
        }

    def test_gives_a_reason_for_each_file_that_it_omits(self):
        assert all((ROOT / name).exists() and reason for name, reason in wording.LEFT_OUT.items())

    def test_runs_in_make_check(self):
        check = (ROOT / "Makefile").read_text().split("\ncheck:")[1].split("\n\n")[0]
        assert "$(PY) -m tests.rules.wording" in check

    def test_passes_a_folder_at_its_limit(self):
        assert wording.over_limits(Counter(wording.LIMITS)) == []

    @pytest.mark.parametrize("folder", [*sorted(wording.LIMITS), "README.md"])
    def test_names_a_folder_that_is_over_its_limit(self, folder):
        counts = Counter({folder: wording.LIMITS.get(folder, 0) + 1})
        assert [line.split()[0] for line in wording.over_limits(counts)] == [folder]

    def test_fails_on_the_subject_of_a_commit(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(wording, "ROOT", tmp_path)
        assert wording.commit_subjects() == []
        assert wording.main([]) == 0
        git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C", str(tmp_path)]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Let a test read alone"], check=True)
        capsys.readouterr()
        assert wording.main(["commits"]) == 1
        assert capsys.readouterr().out == "commits: 'Let a test read alone': write only\n"

    def test_fails_on_a_new_file_with_a_forbidden_pattern(self, tmp_path, monkeypatch, capsys):
        (tmp_path / "README.md").write_text("Nobody is told.\n")
        monkeypatch.setattr(wording, "ROOT", tmp_path)
        assert wording.main([]) == 1
        assert "README.md has 2 lines" in capsys.readouterr().err
        assert wording.main(["README.md"]) == 1
        assert "README.md: 'Nobody is told.'" in capsys.readouterr().out
