"""Names of modules and paths of files lead somewhere: moving code leaves no stale ones behind."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
# Histories name what was; lock files name packages.
_HISTORIES = ("CHANGELOG.md", "docs/contributing/decisions/")
# It names functions within functions, and has a test of its own.
_OTHER_FORMS = ("tests/rules/allowed.py", "tests/docs/test_names.py", "tests/rules/test_names")
_KINDS = {".py", ".md", ".toml", ".html", ".sql", ".js", ".css", ".service", ".conf", ""}
_DOTTED = re.compile(r"(?<![\w./-])((?:messages_app|spark_tasks|hubconsole)(?:\.[a-z_]\w*)+)(?!\w)")
_PATH = re.compile(
    r"(?<![\w./-])((?:messages_app|spark_tasks|hubconsole|benchmarks)/[\w/]+\.(?:py|sql|json))(?!\w)"
)
# Permissions, migrations, models and settings of database sessions have the same form.
_OTHERS = re.compile(
    r"messages_app\.(?:add|change|view|delete|cancel|restart|archive|check|take|resolve|sweep|reprocess|pull|steer|edit|handle|manage)_\w+"
    r"|messages_app\.(?:\d|[a-z]+$)|hubconsole\.(?:actor|restoring)"
)


def texts() -> list[tuple[str, str]]:
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [
        (name, (ROOT / name).read_text(encoding="utf-8"))
        for name in names
        if Path(name).suffix in _KINDS
        and (ROOT / name).is_file()
        and not name.startswith(_HISTORIES + _OTHER_FORMS)
    ]


def stale_in(text: str) -> list[str]:
    dotted = [
        name for name in _DOTTED.findall(text) if not _OTHERS.match(name) and not _leads_somewhere(name)
    ]
    return dotted + [path for path in _PATH.findall(text) if not _is_file(path)]


def _leads_somewhere(name: str) -> bool:
    """Read, never import: a module like `hubconsole.wsgi` changes the process that imports it."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:length])
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if path.is_dir() or source.is_file():
            text = source.read_text(encoding="utf-8") if source.is_file() else ""
            return all(_names(text, attribute) for attribute in parts[length:])
    return False


def _names(source: str, attribute: str) -> bool:
    return (
        re.search(
            rf"^\s*(?:(?:def|class) {attribute}\b|{attribute}\b.*=|.*\bimport\b.*\b{attribute}\b)",
            source,
            re.MULTILINE,
        )
        is not None
    )


def _is_file(path: str) -> bool:
    """Tests are named as the modules they are about, below tests/."""
    return (ROOT / path).is_file() or (ROOT / "tests" / path).is_file()


class TestNames:
    def test_lead_to_existing_targets(self):
        stale = {name: found for name, text in texts() if (found := stale_in(text))}
        assert stale == {}

    @pytest.mark.parametrize(
        "text",
        [
            '"messages_app.jobs.scheduling",',
            "see messages_app.jobs.services.no_such_function",
            "`messages_app/web/paging.py`",
        ],
    )
    def test_with_missing_targets_are_found(self, text):
        assert len(stale_in(text)) == 1
