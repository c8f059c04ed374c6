"""Names in the documentation exist in the code."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FOR_USERS = [page for page in PAGES if ROOT / "docs/contributing" not in page.parents]
DECISIONS = sorted((ROOT / "docs/contributing/decisions").glob("*.md"))
MAX_LINES_OF_DECISION = 60


def _anchors(page: Path) -> set[str]:
    """Return what links name the headings of a page by."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


class TestLinks:
    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_lead_to_files_that_exist(self, page):
        targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
        assert [target for target in targets if not (page.parent / target).exists()] == []

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_lead_to_headings_that_exist(self, page):
        targets = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text())
        assert [
            name for file, name in targets if name not in _anchors(page.parent / file if file else page)
        ] == []


class TestSettings:
    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_that_pages_name_are_read(self, page):
        told = set(re.findall(r"\b(?:HUBCONSOLE|HUB|DJANGO)_[A-Z]+(?:_[A-Z]+)*\b", page.read_text()))
        assert sorted(told - names_in_code()) == []


@cache
def names_in_code() -> set[str]:
    """Return the names of settings that are strings in the code."""
    packages = ("hubconsole", "messages_app", "spark_tasks", "benchmarks")
    files = [file.read_text() for package in packages for file in (ROOT / package).rglob("*.py")]
    return set(re.findall(r'"((?:HUBCONSOLE|HUB|DJANGO)_[A-Z]+(?:_[A-Z]+)*)"', " ".join(files)))


# The tests of each line of the page about retention; nothing removes what has none.
_RETENTION = {
    "messages with calls, requests, responses, funnels": ["management/commands/test_archive.py"],
    "archived messages, in tables or Parquet": ["jobs/archive_months/test_services.py"],
    "values of business keys": ["business_keys/test_retention.py"],
    "files of exports": ["jobs/exports/test_cleaning.py"],
    "jobs with their ledgers": [],
    "deliveries of webhooks": ["jobs/webhooks/test_delivery.py"],
    "a job that waits for a second person": ["jobs/services/test_bulk_guard_approvals.py"],
    "CP queue: log of dispatches": ["cp_queue/test_selectors.py"],
    "CP queue: counts of lost pickups": ["cp_queue/services/test_operators_log.py"],
    "CP queue: services that hold nothing": ["cp_queue/test_selectors.py"],
    "document history, and contents that are compared": [
        "document_history/services/test_sweep.py",
        "document_history/services/test_check_contents.py",
    ],
    "outcomes of checks": ["document_history/services/test_sweep.py"],
    "runs of that sweeper": ["document_history/services/test_sweep.py"],
    "message store: attempts (message history)": ["jobs/drivers/test_reprocess_history.py"],
    "counts by minute": ["messages/metrics/test_passes.py"],
    "counts of external calls": ["messages/call_counts/test_passes.py"],
    "external calls that were counted": ["messages/call_counts/test_passes.py"],
    "gauges of the first page": ["messages/metrics/test_passes.py"],
    "answers to idempotency keys": ["access/test_idempotency.py"],
    "challenges of passkeys": ["access/second_factor/test_passkeys.py"],
    "sessions": ["access/sessions/test_store.py"],
    "counts of log-in attempts": ["access/test_throttling.py"],
    "API tokens": [],
    "the audit log": ["audit/test_retention.py"],
    "seals and tombstones of the audit log": [],
    "all data of one subject": ["management/commands/test_erase_subject.py"],
    "the list of erased rows": [],
}


class TestRetention:
    def test_has_a_test_for_each_kind_of_data(self):
        text = (ROOT / "docs/reference/retention.md").read_text()
        kinds = re.findall(r"^\| (.+?) \|", text, re.MULTILINE)[1:]
        assert kinds == list(_RETENTION)
        named = {f"tests/messages_app/{name}" for names in _RETENTION.values() for name in names}
        assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


class TestLayout:
    def test_names_folders_that_exist(self):
        text = (
            (ROOT / "docs/contributing/development.md")
            .read_text()
            .split("## The layout")[1]
            .split("\n## ")[0]
        )
        rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| `")]
        assert len(rows) > 12
        missing = [
            f"{package}{folder}"
            for packages, contents in rows
            for package in re.findall(r"`([\w/]+/)`", packages)[:1]
            for folder in re.findall(r"`(\w+/)`", contents)
            if not any((place / folder).is_dir() for place in (ROOT / package, ROOT, ROOT / "messages_app"))
        ]
        assert missing == []


class TestHowItWorks:
    @pytest.mark.parametrize("store", ["messages", "document_history", "message_store", "cp_queue"])
    def test_is_one_page_with_drawings_for_each_store(self, store):
        text = (ROOT / f"docs/how_it_works/{store}.md").read_text()
        assert 60 <= len(text.splitlines()) <= 120
        drawings = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert any("▶" in drawing or "│" in drawing for drawing in drawings)


class TestDecisions:
    @pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem[:4])
    def test_are_short_and_have_a_context_and_a_decision(self, page):
        text = page.read_text()
        assert len(text.splitlines()) <= MAX_LINES_OF_DECISION
        assert re.findall(r"^## (Context|Decision)$", text, re.MULTILINE)[:2] == ["Context", "Decision"]


class TestPagesForUsers:
    """Pages outside docs/contributing are for people who do not read the source."""

    @pytest.mark.parametrize("page", FOR_USERS, ids=lambda page: str(page.relative_to(ROOT)))
    def test_name_no_tests_and_no_source_files(self, page):
        assert sources_named_in(page.read_text()) == []

    def test_are_linked_from_the_index(self):
        index = (ROOT / "docs/README.md").read_text()
        pages = [page.relative_to(ROOT / "docs") for page in FOR_USERS if page.parent != ROOT]
        assert [str(page) for page in pages if page.name != "README.md" and f"({page})" not in index] == []

    @pytest.mark.parametrize(
        "text",
        [
            "The tests are in `tests/messages_app/jobs/`.",
            "`describe_cause()` in `messages_app/shared/error_titles.py`",
            "[permissions](../../messages_app/audit/privileges.py)",
            "`test_hard_cases.py`",
        ],
    )
    def test_that_name_a_source_file_are_found(self, text):
        assert len(sources_named_in(text)) == 1

    def test_may_name_modules_commands_and_permissions(self):
        text = (
            "`from messages_app.message_store import services`, `messages_app.view_message`, `manage.py up`"
        )
        assert sources_named_in(text) == []


def sources_named_in(text: str) -> list[str]:
    """Return the tests and source files that a page names. The package has files for users in `data`."""
    packages = r"(?:messages_app|spark_tasks|hubconsole(?!/data/)|benchmarks)"
    return re.findall(rf"\btests/[\w/]*|\b{packages}/[\w/]+\.[a-z]+|\btest_\w+\.py", text)


class TestPromises:
    def test_name_tests_that_exist(self):
        text = (ROOT / "docs/contributing/spec/promises.md").read_text()
        named = re.findall(r"`(tests/[\w/]+\.py)((?:::\w+)*)`", text)
        assert len(named) > 60
        assert [path + names for path, names in named if not _has_test(path, names)] == []

    @pytest.mark.parametrize("names", ["::TestNothing", "::TestPromises::test_nothing", "::nothing"])
    def test_that_name_missing_tests_are_found(self, names):
        assert not _has_test("tests/docs/test_docs.py", names)


def _has_test(path: str, names: str) -> bool:
    """Return whether a file has the class or function of a test's id."""
    if not (ROOT / path).is_file():
        return False
    text = (ROOT / path).read_text()
    return all(re.search(rf"^ *(?:class|def) {name}\b", text, re.MULTILINE) for name in names.split("::")[1:])
