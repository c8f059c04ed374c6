"""pip-audit itself, asking a list on this machine. Source: docs/contributing/spec/promises.md, S-2."""

import json
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.support.advisories import KNOWN, KNOWN_AS, NONE, SOME, UNANSWERED
from tests.support.local_server import LocalHandler, LocalServer, run_server
from tests.support.locks import ROOT
from tests.support.parameters import quick_first

# The entries of the list: (package, version) -> the vulnerability and the fixed version.
LISTED = {
    **dict.fromkeys(KNOWN.items(), (KNOWN_AS, "5.2.8")),
    ("django", "5.0.6"): ("CVE-2024-42005", "5.0.8"),
    ("numpy", "2.5.5"): ("CVE-2026-0001", "2.5.6"),
}
DJANGO, OLD_DJANGO = "django==5.2.19 \\\n    --hash=sha256:0\n", "django==5.0.6\n"
NUMPY = "numpy==2.4.6 ; python_full_version < '3.12'\nnumpy==2.5.5 ; python_full_version >= '3.12'\n"


class VulnerabilityList(LocalServer):
    """It speaks as OSV does, and keeps what it was asked about; with `text` it says that to everything."""

    def __init__(self, listed: dict, text: str) -> None:
        super().__init__(_Handler)
        self.listed, self.text = listed, text
        self.asked: set[tuple[str, str]] = set()
        self.url = f"{self.address}/v1/query"

    def answer(self, name: str, version: str) -> str:
        self.asked.add((name, version))
        if self.text or (name, version) not in self.listed:
            return self.text or "{}"
        known_as, closed_by = self.listed[name, version]
        ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": closed_by}]}]
        affected = [{"package": {"name": name, "ecosystem": "PyPI"}, "ranges": ranges}]
        return json.dumps({"vulns": [{"id": known_as, "aliases": [], "affected": affected}]})


class _Handler(LocalHandler):
    server: VulnerabilityList

    def answer(self, body: bytes) -> None:
        asked = json.loads(body)
        self.send_answer(200, self.server.answer(asked["package"]["name"], asked["version"]).encode())


def _listing(listed: dict = LISTED, text: str = "") -> AbstractContextManager[VulnerabilityList]:
    return run_server(VulnerabilityList(listed, text))


def _ask(lock: Path, text: str, url: str) -> subprocess.CompletedProcess:
    lock.write_text(text)
    program = [
        sys.executable,
        "-m",
        "tests.support.advisories",
        str(lock),
        "--osv-url",
        url,
        "--timeout",
        "5",
    ]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.fixture
def lock(tmp_path):
    return tmp_path / "requirements.lock"


class TestAdvisories:
    @pytest.mark.slow
    def test_name_only_listed_packages(self, lock):
        with _listing() as known:
            run = _ask(lock, DJANGO, known.url)
        assert (run.returncode, run.stderr) == (NONE, "")
        assert run.stdout == f"None of the 1 packages of {lock} is known to be unsafe.\n"
        assert known.asked == {*KNOWN.items(), ("django", "5.2.19")}

    def test_name_listed_packages_with_the_fixed_version(self, lock):
        """Of a package that has another version for another Python, too."""
        with _listing() as known:
            run = _ask(lock, OLD_DJANGO + NUMPY, known.url)
        assert (run.returncode, run.stderr) == (SOME, "")
        told = "Known to be unsafe:\n  django 5.0.6: CVE-2024-42005, closed by 5.0.8\n"
        assert run.stdout == told + "  numpy 2.5.5: CVE-2026-0001, closed by 2.5.6\n"
        assert ("numpy", "2.4.6") in known.asked

    @pytest.mark.parametrize("text", quick_first(['{"vulns": []}', "", "{}", "<html></html>"]))
    def test_refuse_a_list_that_lacks_well_known_entries(self, lock, text):
        with _listing({}, text) as known:
            run = _ask(lock, DJANGO, known.url)
        assert (run.returncode, run.stdout) == (UNANSWERED, "")
        assert run.stderr.startswith("Whether a package is known to be unsafe could not be found out: ")
        assert run.stderr.count("\n") == 1

    def test_report_that_the_server_does_not_answer(self, lock):
        with _listing() as gone:
            pass
        run = _ask(lock, DJANGO, gone.url)
        assert (run.returncode, run.stdout) == (UNANSWERED, "")
        assert "Connection refused" in run.stderr
        assert run.stderr.count("\n") == 1

    def test_report_an_empty_lock(self, lock):
        run = _ask(lock, "# nothing\n", "http://127.0.0.1:1/")
        assert (run.returncode, run.stdout) == (UNANSWERED, "")
        assert run.stderr.endswith(f"{lock} names no package.\n")

    @pytest.mark.slow
    def test_are_requested_for_the_complete_lock(self):
        told = subprocess.run(["make", "--dry-run", "advisories"], cwd=ROOT, capture_output=True, text=True)
        assert ".venv/bin/python -m tests.support.advisories requirements-test.lock" in told.stdout
