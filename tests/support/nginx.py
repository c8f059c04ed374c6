"""nginx from Debian's package, unpacked into a folder: it needs no installation and starts no service."""

import shutil
import subprocess
from pathlib import Path

PACKAGE = "nginx"


def binary(folder: Path) -> Path:
    """
    Return the program, the installed one or the package's.

    Raises:
        FileNotFoundError: it is not installed, and the package could not be had.
    """
    if installed := shutil.which("nginx"):
        return Path(installed)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", "-q", PACKAGE], cwd=folder, check=False, capture_output=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", str(package), str(folder)], check=True)
    program = folder / "usr/sbin/nginx"
    if not program.exists():
        raise FileNotFoundError(f"This test needs Debian's package {PACKAGE}, and could not get it.")
    return program
