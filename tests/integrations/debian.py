"""Programs of Debian's packages: installed ones or, without being installed, unpacked from the packages."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.files import ROOT

_UNPACKED = ROOT / "var" / "integrations" / "debian"


def find_file(pattern: str, *, packages: Sequence[str]) -> Path:
    """
    Return the only file of a pattern, such as a program, with everything that its packages have.

    Args:
        pattern: its path below the root of the file system.
        packages: the package of the file, and those of libraries that a small machine may lack.

    Raises:
        FileNotFoundError: it is not installed, and this is not Debian.
        subprocess.CalledProcessError: a package cannot be loaded.
    """
    for root in (Path("/"), _UNPACKED):
        if files := sorted(root.glob(pattern)):
            return files[0]
    _unpack(packages)
    (file,) = _UNPACKED.glob(pattern)
    return file


def environment_of(program: Path) -> Mapping[str, str]:
    """Return the environment of a program, with the libraries that were unpacked with it."""
    if not program.is_relative_to(_UNPACKED):
        return os.environ
    libraries = {str(file.parent) for file in _UNPACKED.glob("**/*.so.*")}
    return os.environ | {"LD_LIBRARY_PATH": ":".join(sorted(libraries))}


def _unpack(packages: Sequence[str]) -> None:
    apt, unpack = shutil.which("apt-get"), shutil.which("dpkg-deb")
    if apt is None or unpack is None:
        raise FileNotFoundError(f"Install {', '.join(packages)}: this machine has no packages of Debian.")
    _UNPACKED.mkdir(parents=True, exist_ok=True)
    subprocess.run([apt, "download", "--quiet", *packages], cwd=_UNPACKED, check=True)
    for file in sorted(_UNPACKED.glob("*.deb")):
        subprocess.run([unpack, "--extract", file, _UNPACKED], check=True)
