"""`make release`: the version, its tag and its files, from a clone."""

import hashlib
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.pictures.shown_pages import record_shown_pages
from tests.support.locks import ROOT
from tests.support.release import main, read_notes, run_git

NOTES = "- **Jobs** end sooner.\n- **Pages** are shorter."


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory) -> Path:
    """Give a clone of this repository for tests of releases that change nothing."""
    return clone_with_change(tmp_path_factory.mktemp("release") / "repository")


@pytest.fixture
def repository(tmp_path) -> Path:
    """Give a clone of this repository that a test may change."""
    return clone_with_change(tmp_path / "repository")


def clone_with_change(place: Path) -> Path:
    run_git(ROOT, "clone", "--quiet", str(ROOT), str(place))
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        run_git(place, "config", name, value)
    changes = place / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("\n## ", f"\n## Unreleased\n\n{NOTES}\n\n## ", 1))
    record_shown_pages(place)
    run_git(place, "add", "--all")
    run_git(place, "commit", "--quiet", "--message", "Note a change")
    return place


def release(repository: Path, folder: Path, version: str, *options: str) -> int:
    return main([version, "--repository", str(repository), "--folder", str(folder), *options])


@pytest.mark.slow  # In each run, the wheels, the bill of materials and the manifests have tests of their own.
def test_a_dry_run_builds_every_file_and_changes_nothing(unchanged, tmp_path):
    before = run_git(unchanged, "rev-parse", "HEAD")

    assert release(unchanged, tmp_path / "dist", "7.1.0", "--dry-run") == 0

    assert run_git(unchanged, "rev-parse", "HEAD") == before
    assert run_git(unchanged, "tag", "--list", "v7*") == ""
    folder = tmp_path / "dist/7.1.0"
    assert (folder / "NOTES.md").read_text() == NOTES + "\n"
    assert {path.name for path in folder.iterdir()} == {
        "hubconsole-7.1.0-py3-none-any.whl",
        "hubconsole_client-7.1.0-py3-none-any.whl",
        "requirements.lock",
        "hubconsole-7.1.0.cdx.json",
        "containers-7.1.0.tar.gz",
        "kubernetes-7.1.0.tar.gz",
        "prometheus-7.1.0.tar.gz",
        "grafana-7.1.0.tar.gz",
        "NOTES.md",
        "SHA256SUMS",
    }
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    wheel = zipfile.ZipFile(folder / "hubconsole-7.1.0-py3-none-any.whl")
    assert '__version__ = "7.1.0"' in wheel.read("hubconsole/__init__.py").decode()
    with tarfile.open(folder / "containers-7.1.0.tar.gz") as containers:
        assert "containers/compose.yaml" in containers.getnames()
    with tarfile.open(folder / "kubernetes-7.1.0.tar.gz") as manifests:
        overlay = manifests.extractfile("kubernetes/overlays/production/kustomization.yaml")
        assert overlay is not None
        assert overlay.read().decode().count("newTag: 7.1.0-") == 2
    components = json.loads((folder / "hubconsole-7.1.0.cdx.json").read_text())
    assert components["metadata"]["component"]["version"] == "7.1.0"
    assert "django" in {each["name"] for each in components["components"]}


def test_files_of_a_tag_need_the_tag(unchanged, tmp_path, capsys):
    assert release(unchanged, tmp_path / "dist", "7.1.0", "--files-only") == 1
    assert "v7.1.0" in capsys.readouterr().err


@pytest.mark.slow
def test_a_release_is_one_commit_with_a_tag_that_has_the_notes(repository, tmp_path):
    before = run_git(repository, "rev-parse", "HEAD")

    assert release(repository, tmp_path / "dist", "7.1.0") == 0

    assert run_git(repository, "rev-parse", "HEAD~1") == before
    assert run_git(repository, "log", "-1", "--format=%s") == "Release 7.1.0"
    assert run_git(repository, "rev-parse", "v7.1.0^{commit}") == run_git(repository, "rev-parse", "HEAD")
    text = (repository / "CHANGELOG.md").read_text()
    assert text.count("## 7.1.0, 20") == 1
    assert read_notes(text) == NOTES
    assert NOTES in run_git(repository, "tag", "--list", "--format=%(contents)", "v7.1.0")
    assert run_git(repository, "status", "--porcelain") == ""


def test_a_version_that_cannot_follow_is_refused(unchanged, tmp_path, capsys):
    for version in ("0.0.9", "seven", "7.01", ""):
        assert release(unchanged, tmp_path / "dist", version) == 1, version
        assert "is not a version that may follow" in capsys.readouterr().err, version
        assert not (tmp_path / "dist").exists(), version


def test_a_version_that_exists_is_refused(repository, tmp_path, capsys):
    run_git(repository, "tag", "v7.1.0")
    assert release(repository, tmp_path / "dist", "7.1.0") == 1
    assert "v7.1.0 exists" in capsys.readouterr().err


def test_pictures_that_are_older_than_the_pages_are_refused(repository, tmp_path, capsys):
    page = next((repository / "templates").rglob("*.html"))
    page.write_text(page.read_text() + "<p>new</p>")
    run_git(repository, "commit", "--quiet", "--all", "--message", "Change a page")
    assert release(repository, tmp_path / "dist", "7.1.0", "--dry-run") == 1
    assert "The pictures are older than the pages" in capsys.readouterr().err
    assert not (tmp_path / "dist").exists()


def test_changes_that_are_not_committed_are_named(repository, tmp_path, capsys):
    (repository / "manage.py").write_text("x")
    assert release(repository, tmp_path / "dist", "7.1.0") == 1
    assert "M manage.py" in capsys.readouterr().err


def test_a_changelog_without_a_section_for_it_is_refused(repository, tmp_path, capsys):
    path = repository / "CHANGELOG.md"
    path.write_text(path.read_text().replace("\n## Unreleased", "\n## 6.0.0", 1))
    run_git(repository, "commit", "--quiet", "--all", "--message", "Note changes")
    assert release(repository, tmp_path / "dist", "7.1.0") == 1
    assert "CHANGELOG.md" in capsys.readouterr().err


@pytest.mark.slow
def test_a_build_that_fails_is_reported(repository, tmp_path, capsys):
    (repository / "client/generate.py").write_text("raise SystemExit('broken')\n")
    run_git(repository, "commit", "--quiet", "--all", "--message", "Break the client")
    assert release(repository, tmp_path / "dist", "7.1.0", "--dry-run") == 1
    assert "make" in capsys.readouterr().err
    assert run_git(repository, "tag", "--list", "v7*") == ""
