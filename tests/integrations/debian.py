"""Programs of Debian's packages: installed ones or, without being installed, unpacked from the package."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.files import ROOT

_UNPACKED = ROOT / "var" / "integrations" / "debian"


def find_program(name: str, *, place: str, packages: Sequence[str]) -> Path:
    """
    Return a program.

    Args:
        place: its path in the first package.
        packages: the package, and those of its libraries that a small machine may lack.

    Raises:
        FileNotFoundError: it is not installed, and this is not Debian.
        subprocess.CalledProcessError: a package cannot be loaded.
    """
    installed = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if installed:
        return Path(installed)
    program = _UNPACKED / place
    if not program.exists():
        _unpack(packages)
    return program


def environment_of(program: Path) -> Mapping[str, str]:
    """Return the environment of a program, with the libraries that were unpacked with it."""
    if not program.is_relative_to(_UNPACKED):
        return os.environ
    libraries = {str(path.parent) for path in _UNPACKED.glob("usr/lib/**/*.so.*")}
    return os.environ | {"LD_LIBRARY_PATH": ":".join(sorted(libraries))}


def _unpack(packages: Sequence[str]) -> None:
    apt, unpack = shutil.which("apt-get"), shutil.which("dpkg-deb")
    if apt is None or unpack is None:
        raise FileNotFoundError(f"Install {packages[0]}: this machine has no packages of Debian.")
    _UNPACKED.mkdir(parents=True, exist_ok=True)
    subprocess.run([apt, "download", "--quiet", *packages], cwd=_UNPACKED, check=True)
    for file in sorted(_UNPACKED.glob("*.deb")):
        subprocess.run([unpack, "--extract", file, _UNPACKED], check=True)
