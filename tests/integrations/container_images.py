"""
The images of the console and of its servers, from Debian's packages and the wheel of this checkout.

It needs root, and Debian with access to its packages; the first build takes five minutes.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.files import ROOT

FOLDER = ROOT / "var" / "integrations" / "containers"
SERVER, SPARK = "localhost/hubconsole:server", "localhost/hubconsole:spark"
DATABASE, BROKER = "localhost/hub-database:test", "localhost/hub-broker:test"
_PACKAGES = ("podman", "buildah", "runc", "netavark", "aardvark-dns", "iptables", "mmdebstrap", "catatonit")
_COMPOSE = "podman-compose==1.6.0"
_OURS = Path(__file__).resolve().parent / "containers"
# crun needs more of the machine's control groups than a machine in a container has.
_ENGINE = """[engine]
runtime = "runc"
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
"""
# A base may have no manuals and no translations, as the small images of registries.
_LEFT_OUT = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "man", "locale", "info")]
_PIP = "[global]\nno-index = true\nfind-links = /wheelhouse\n"


def run_podman(*words: str, timeout: float = 900) -> str:
    """
    Run podman, and return what it prints.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    done = subprocess.run(
        ["podman", *words], env=environment(), stdout=subprocess.PIPE, text=True, check=True, timeout=timeout
    )
    return done.stdout


def environment() -> dict[str, str]:
    """Return the environment of podman, with a runtime that works in a container, too."""
    settings = FOLDER / "containers.conf"
    FOLDER.mkdir(parents=True, exist_ok=True)
    settings.write_text(_ENGINE)
    return os.environ | {"CONTAINERS_CONF": str(settings)}


def find_compose() -> list[str]:
    """Return the command of Compose for podman, installed at its first use; the folder may move later."""
    python = FOLDER / "compose" / "bin" / "python"
    command = [str(python), "-m", "podman_compose"]
    if subprocess.run([*command, "--help"], capture_output=True, check=False).returncode != 0:
        shutil.rmtree(FOLDER / "compose", ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", FOLDER / "compose"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", _COMPOSE], check=True)
    return command


def build_images() -> None:
    """Build what is missing, and the console's images from this checkout."""
    if not shutil.which("podman") or not shutil.which("mmdebstrap"):
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *_PACKAGES], check=True)
    build_console({"server": SERVER, "spark": SPARK}, source=ROOT)  # first: it loads the packages
    services = _import_base("services", "postgresql,redis-server")
    for target, tag in (("database", DATABASE), ("broker", BROKER)):
        _build(tag, target=target, base=services, file=_OURS / "Containerfile", context=_OURS)


def build_console(tags: Mapping[str, str], *, source: Path, options: Sequence[str] = ()) -> None:
    """Build the targets of the console's images with these tags, from the wheel of a checkout."""
    base = _import_base("python", "python3,python3-venv,ca-certificates")
    context, file = _fill_context(source), ROOT / "deploy/containers/Containerfile"
    for target, tag in tags.items():
        _build(tag, target=target, base=base, file=file, context=context, options=options)


def _import_base(name: str, packages: str) -> str:
    tag = f"localhost/hub-{name}:bookworm"
    if run_podman("images", "--quiet", tag):
        return tag
    archive = FOLDER / f"{name}.tar"
    command = ["mmdebstrap", "--variant=minbase", f"--include={packages}", *_LEFT_OUT, "bookworm", archive]
    subprocess.run(command, check=True)
    run_podman("import", "--change", "ENV=PATH=/usr/sbin:/usr/bin:/sbin:/bin", str(archive), tag)
    archive.unlink()
    return tag


def _fill_context(source: Path) -> Path:
    """Return a folder with the wheel and its lock, after loading the packages of the lock."""
    context, wheelhouse, lock = FOLDER / "context", FOLDER / "wheelhouse", source / "requirements.lock"
    shutil.rmtree(context, ignore_errors=True)
    context.mkdir(parents=True)
    build_wheel(source, context)
    shutil.copy(lock, context)
    load = ["download", "--quiet", "--require-hashes", "--requirement", lock, "--dest", wheelhouse]
    subprocess.run([sys.executable, "-m", "pip", *load], check=True)
    (FOLDER / "pip.conf").write_text(_PIP)
    return context


def build_wheel(source: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into a folder, and return it."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(build, cwd=source, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _build(
    tag: str, *, target: str, base: str, file: Path, context: Path, options: Sequence[str] = ()
) -> None:
    volumes = [f"{FOLDER / 'wheelhouse'}:/wheelhouse:ro", f"{FOLDER / 'pip.conf'}:/etc/pip.conf:ro"]
    run_podman(
        *("build", "--quiet", "--format", "docker", "--timestamp", "0", "--network", "none"),
        *(word for volume in volumes for word in ("--volume", volume)),
        *("--build-arg", f"BASE={base}", "--target", target, *options),
        *("--tag", tag, "--file", str(file), str(context)),
    )
