"""
`make release VERSION=1.1.0`: commits the version, tags it, and builds all files of the release.

The files are in dist/VERSION: the wheels of the console and of the client, the lock, the bill of materials,
the files for containers, Kubernetes, Prometheus and Grafana, the notes, and the SHA-256 of each. They are
built from a clone of the tag, so nothing else of this folder is in them. Nothing leaves the machine: pushing
the tag starts .github/workflows/release.yml, which builds the same files, signs and publishes them. `DRY=1`
does everything in a clone and leaves this one as it is.
"""

import argparse
import datetime as dt
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.version import InvalidVersion, Version

from tests.pictures.shown_pages import has_current_pictures
from tests.support.locks import ROOT

VERSION_FILE = "hubconsole/__init__.py"
_CURRENT = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
# The tags of the images in Kubernetes.
_MANIFESTS = "deploy/kubernetes/overlays/*/kustomization.yaml"
_TAG_OF_IMAGE = re.compile(r"(newTag: )\S+-(server|spark)\b")
_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)
# They are up to date here, and a clone has newer files.
_MADE = ("-o", ".venv/.installed", "-o", ".venv/.installed-test")


class CannotRelease(Exception):
    """The reason, for the person at the terminal."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--files-only", action="store_true", help="of a tag that exists")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist", help="for the files (%(default)s)")
    parser.add_argument("--repository", type=Path, default=ROOT, help="to release (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="release-") as place:
            repository = options.repository.resolve()
            if options.dry_run:
                repository = clone_repository(repository, Path(place) / "dry")
            if not options.files_only:
                tag_version(repository, options.version)
            source = clone_repository(repository, Path(place) / "source", revision=f"v{options.version}")
            folder = build_files(source, options.version, folder=options.folder.resolve() / options.version)
    except CannotRelease as reason:
        sys.stderr.write(f"release: {reason}\n")
        return 1
    tag = f"v{options.version}"
    print_line(f"{tag}: {len(list(folder.iterdir()))} files in {folder}")
    if not options.dry_run and not options.files_only:
        print_line(f"Publish it: git push origin main {tag}")
    return 0


def tag_version(repository: Path, version: str) -> None:
    """Commit and tag a version. Raises CannotRelease, before it changes anything."""
    check_repository(repository, version)
    commit_version(repository, version)


def check_repository(repository: Path, version: str) -> None:
    """Raises CannotRelease if this version cannot follow here."""
    current = read_version(repository)
    try:
        is_next = Version(version) >= Version(current) and str(Version(version)) == version
    except InvalidVersion:
        is_next = False
    if not is_next:
        raise CannotRelease(f"{version} is not a version that may follow {current}, such as 1.2.3.")
    if run_git(repository, "tag", "--list", f"v{version}"):
        raise CannotRelease(f"v{version} exists.")
    if changed := run_git(repository, "status", "--porcelain", "--untracked-files=no"):
        raise CannotRelease(f"There are changes that are not committed:\n{changed}")
    title = _SECTION.search((repository / "CHANGELOG.md").read_text())
    if title is None or re.split(r"[ ,]", title["title"])[0] not in ("Unreleased", version):
        raise CannotRelease(f"The first section of CHANGELOG.md is neither Unreleased nor {version}.")
    if not has_current_pictures(repository):
        raise CannotRelease("The pictures are older than the pages: run `make pictures` and commit them.")


def commit_version(repository: Path, version: str) -> None:
    """Write the version and the day of its section, commit both, and tag the commit with its notes."""
    code, changes = repository / VERSION_FILE, repository / "CHANGELOG.md"
    code.write_text(_CURRENT.sub(f'__version__ = "{version}"', code.read_text()))
    for path in repository.glob(_MANIFESTS):
        path.write_text(_TAG_OF_IMAGE.sub(rf"\g<1>{version}-\2", path.read_text()))
    day = dt.datetime.now(dt.UTC).date().isoformat()
    changes.write_text(_SECTION.sub(f"## {version}, {day}", changes.read_text(), count=1))
    run_git(repository, "commit", "--quiet", "--all", "--message", f"Release {version}")
    notes = read_notes(changes.read_text())
    run_git(repository, "tag", "--annotate", f"v{version}", "--message", f"Hub Console {version}\n\n{notes}")


def read_notes(changes: str) -> str:
    """Return the text of the first section of a changelog."""
    return re.split(r"^## .+$", changes, flags=re.MULTILINE)[1].strip()


def build_files(source: Path, version: str, *, folder: Path) -> Path:
    """Build the files of a release from a clone of its tag."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(["make", *_MADE, "wheel", "client", "sbom", f"PY={sys.executable}"], source)
    for path in (*(source / "dist").glob("*.whl"), source / "requirements.lock"):
        shutil.copy(path, folder)
    components = json.loads((source / "var/sbom.cdx.json").read_text())
    components["metadata"]["component"]["version"] = version
    (folder / f"hubconsole-{version}.cdx.json").write_text(json.dumps(components, indent=2, sort_keys=True))
    for name in ("containers", "kubernetes", "prometheus", "grafana"):
        archive = f"--output={folder / f'{name}-{version}.tar.gz'}"
        run(["git", "archive", archive, f"--prefix={name}/", f"v{version}:deploy/{name}"], source)
    (folder / "NOTES.md").write_text(read_notes((source / "CHANGELOG.md").read_text()) + "\n")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.iterdir())
    ]
    (folder / "SHA256SUMS").write_text("".join(sums))
    return folder


def read_version(repository: Path) -> str:
    found = _CURRENT.search((repository / VERSION_FILE).read_text())
    if found is None:
        raise CannotRelease(f"{VERSION_FILE} has no version.")
    return found[1]


def clone_repository(repository: Path, place: Path, *, revision: str = "HEAD") -> Path:
    """Clone a repository with the author of its commits, and the packages of this environment."""
    run(["git", "clone", "--quiet", str(repository), str(place)], repository)
    run_git(
        place, "checkout", "--quiet", "--detach", run_git(repository, "rev-parse", f"{revision}^{{commit}}")
    )
    for name, default in (("user.name", "Hub Console"), ("user.email", "release@localhost")):
        run_git(place, "config", name, run_git(repository, "config", "--default", default, "--get", name))
    (place / ".venv").symlink_to(Path(sys.executable).parent.parent)
    return place


def run_git(repository: Path, *words: str) -> str:
    return run(["git", *words], repository)


def run(command: list[str], folder: Path) -> str:
    """Run a command and return its output. Raises CannotRelease with its words if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotRelease(f"{' '.join(command[:4])} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout.strip()


def print_line(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
