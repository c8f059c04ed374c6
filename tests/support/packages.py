"""Builds the package and installs it, with the libraries of this environment or into an empty one."""

import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.support.files import ROOT

# The console's own mask, which tests have too, would hide the package from other users.
_READABLE = 0o022
_UV = (sys.executable, "-m", "uv")


def build_wheel(folder: Path) -> Path:
    """Build the package into an empty folder."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (path,) = folder.glob("*.whl")
    return path


def install_next_to_libraries(wheel: Path, folder: Path) -> Path:
    """Install the package next to the libraries of this environment; return the folder of its commands."""
    _run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    libraries = next(folder.glob("lib/python*/site-packages")) / "libraries.pth"
    libraries.write_text(sysconfig.get_path("purelib") + "\n")
    libraries.chmod(0o644)
    _install(folder, "--no-deps", "--offline", str(wheel))
    return folder / "bin"


def install_alone(wheel: Path, folder: Path) -> Path:
    """Install the package as a user does, from the registry; return the folder of its commands."""
    _run(*_UV, "venv", "--quiet", "--python", sys.executable, str(folder))
    _install(folder, f"{wheel}[embedded]")
    return folder / "bin"


def _install(folder: Path, *words: str) -> None:
    command = [
        *_UV,
        "pip",
        "install",
        "--quiet",
        "--compile-bytecode",
        "--python",
        str(folder / "bin/python"),
    ]
    _run(*command, *words)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, timeout=1800, umask=_READABLE)
