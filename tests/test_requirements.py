import json
import re
import subprocess
from importlib.metadata import version

import django
import pytest

from tests.support.locks import LOCKED, ROOT, locked_hashes, locked_versions, name_of

# The newest of its line that closes a hole (docs/contributing/spec/promises.md, S-2). It is raised with every
# such release.
MIN_DJANGO = (5, 2, 19)
# A line of a file of direct pins.
PIN = re.compile(r"([\w-]+)(?:\[[\w,]+\])?==([\w.]+)")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}")


class TestRequirements:
    def test_have_a_django_without_known_vulnerabilities(self):
        assert django.VERSION[:3] >= MIN_DJANGO

    @pytest.mark.parametrize("name", ["requirements.txt", "requirements-test.txt"])
    def test_are_pinned_and_what_is_installed(self, name):
        pins = _pins(name)
        assert len(pins) > 5
        assert {(name, version(name)) for name, _ in pins} == pins


class TestLock:
    @pytest.mark.parametrize("kind", ["", "-test"])
    def test_has_every_pin_at_its_version(self, kind):
        assert _pins(f"requirements{kind}.txt") <= _locked(kind)

    def test_is_the_same_for_the_tests(self):
        assert _locked("") <= _locked("-test")

    def test_has_the_hashes_that_the_tests_have(self):
        """A hash of another version stops the installation on an empty machine, and only there."""
        production, tests = (locked_hashes(ROOT / f"requirements{kind}.lock") for kind in ("", "-test"))
        assert [package for package in production if production[package] != tests[package]] == []

    @pytest.mark.parametrize("kind", ["", "-test"])
    def test_names_only_hashes_next_to_each_package(self, kind):
        """No address, no option: who installs says where from, and a hash that what."""
        text = (ROOT / f"requirements{kind}.lock").read_text()
        packages = re.split(r"\n(?=\w)", re.sub(r"(?m)^ *#.*\n", "", text).replace(" \\\n", "\n").strip())
        assert len(packages) == len(LOCKED.findall(text)) > 50
        for package in packages:
            first, *hashes = package.split("\n")
            assert LOCKED.match(first)
            assert hashes
            assert all(HASH.fullmatch(line) for line in hashes)


class TestSbom:
    def test_names_all_that_is_locked(self, tmp_path):
        written = tmp_path / "sbom.cdx.json"
        subprocess.run(["make", "sbom", f"SBOM={written}"], cwd=ROOT, check=True, timeout=60)
        bom = json.loads(written.read_text())
        assert bom["bomFormat"] == "CycloneDX"
        assert {(name_of(one["name"]), one["version"]) for one in bom["components"]} == _locked("")
        assert all(one["externalReferences"][0]["hashes"] for one in bom["components"])


def _pins(name: str) -> set[tuple[str, str]]:
    """Return the direct pins of a file as (name, version); each line is one."""
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    pins = [PIN.fullmatch(line) for line in lines if line[:2] not in {"", "-r"}]
    assert all(pins)
    return {(name_of(pin[1]), pin[2]) for pin in pins}


def _locked(kind: str) -> set[tuple[str, str]]:
    return locked_versions(ROOT / f"requirements{kind}.lock")
