"""`make check` fails on unformatted templates, scripts and styles, and on lines over 120 characters."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.rules import lines
from tests.support.locks import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
CHECK = MAKEFILE.split("\ncheck:")[1].split("\n\n")[0]


def run(command: str, folder: Path) -> subprocess.CompletedProcess:
    """Run a line of `make check` in a folder, as make does."""
    line = command.replace("$(DENO)", re.search(r"^DENO := (.*)$", MAKEFILE, re.MULTILINE)[1])
    line = line.replace("$$", "$").replace(".venv/bin/", f"{ROOT}/.venv/bin/")
    return subprocess.run(["/bin/sh", "-c", line], cwd=folder, capture_output=True, text=True)


def command_with(word: str) -> str:
    return next(line.strip() for line in CHECK.splitlines() if word in line)


class TestLines:
    def test_has_none_over_the_limit(self):
        assert list(lines.long_lines()) == []

    def test_reads_templates_scripts_styles_and_documentation(self):
        assert {path.suffix for path in lines.files()} == lines.KINDS
        assert len(list(lines.files())) > 250

    @pytest.mark.parametrize("name", ["templates/a/b.html", "static/js/a.js", "static/css/a.css"])
    def test_names_a_line_over_the_limit(self, name, tmp_path, monkeypatch, capsys):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(f"{'x' * 120}\n{'x' * 121}\n")
        monkeypatch.setattr(lines, "ROOT", tmp_path)
        assert lines.main() == 1
        assert capsys.readouterr().err == f"{name}:2 has 121 characters, 120 are allowed\n"

    def test_names_a_line_of_prose_but_no_table_code_or_single_word(self, tmp_path, monkeypatch, capsys):
        long = "word " * 25
        path = tmp_path / "README.md"
        path.write_text(f"{long}\n| {long}|\n```\n{long}\n```\n{'x' * 121}\n{long}\n")
        monkeypatch.setattr(lines, "ROOT", tmp_path)
        assert lines.main() == 1
        errors = capsys.readouterr().err.splitlines()
        assert [error.split()[0] for error in errors] == ["README.md:1", "README.md:7"]

    def test_runs_in_make_check(self):
        assert "$(PY) -m tests.rules.lines" in CHECK


@pytest.fixture
def folder(tmp_path):
    for name in ("templates", "tests/invented_store/templates", "static/js", "static/css"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "deno.json").write_text((ROOT / "deno.json").read_text())
    (tmp_path / "static/js/a.js").write_text('const text = "a";\nconsole.log(text);\n')
    (tmp_path / "static/css/a.css").write_text("a {\n  color: red;\n}\n")
    (tmp_path / "templates/a.html").write_text("{% if a %}a{% endif %}\n")
    return tmp_path


class TestFormats:
    @pytest.mark.parametrize(
        ("word", "name", "text"),
        [
            ("djade", "templates/a.html", "{%if a%}a{% endif %}\n"),
            ("fmt", "static/js/a.js", "const text = 'a';\nconsole.log(text);\n"),
            ("fmt", "static/css/a.css", "a { color: red }\n"),
            ("lint", "static/js/a.js", 'const text = "a";\n'),
        ],
    )
    def test_fails_on_a_file_that_is_not_in_order(self, folder, word, name, text):
        command = command_with(word)
        before = run(command, folder)
        assert before.returncode == 0, before.stderr
        (folder / name).write_text(text)
        assert run(command, folder).returncode != 0


class TestFrame:
    def test_sets_only_variables_of_its_own(self):
        # A page has its variables in the same context, in which the frame would replace them.
        frame = [(ROOT / "templates" / name).read_text() for name in ("skeleton.html", "base.html")]
        names = re.findall(r"\bas (\w+) %}", "".join(frame))
        assert len(names) > 5
        assert {name for name in names if not name.startswith(("frame_", "menu_", "page_"))} == set()
