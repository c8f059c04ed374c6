"""The browser of the page tests: an installed Chromium or Chrome, else one that this module installs.

`python -m tests.support.browser` installs one if it is missing: Debian's package, or another one without
root. The headless shell is preferred: it renders the same with a fifth less processor time.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PACKAGES = ("chromium-headless-shell", "chromium")
NAMES = (*PACKAGES, "google-chrome", "google-chrome-stable", "chromium-browser")


def executable() -> str | None:
    """Return the path of a browser that runs, or None."""
    candidates = [path for name in NAMES if (path := shutil.which(name))]
    return next((path for path in [*candidates, *_playwrights_own()] if _runs(path)), None)


def _playwrights_own() -> list[str]:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return [path] if Path(path).exists() else []


def _runs(path: str) -> bool:
    """Ask for its version, because a chromium-browser may be a stub that only asks to install something."""
    return subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0


def _install() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_get("update", "-q")
        for package in PACKAGES:
            if executable() is None:
                _apt_get("install", "-q", "-y", "--no-install-recommends", package)
    if executable() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _apt_get(*arguments: str) -> None:
    subprocess.run(
        ["apt-get", *arguments],
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
    )


def main() -> None:
    if executable() is None:
        _install()
    if executable() is None:
        raise SystemExit("The page tests need Chromium: none is installed, and none could be installed.")


if __name__ == "__main__":
    main()
