"""
Measure the same pages, calls and erasures with ten thousand to thirty million messages, and draw them.

Times should grow with the answer, not with the table. The databases stay in a kept home (`--home`), so
that they are filled only once.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.attached import addresses_of
from benchmarks.dashboard import count_history
from benchmarks.databases import fill_tables, filled_once
from benchmarks.filling import BYTES_PER_MESSAGE, fill
from benchmarks.growth_picture import picture
from benchmarks.lists import environment
from benchmarks.probe import ask

SIZES = (10_000, 1_000_000, 10_000_000, 30_000_000)
_ROUNDS = 10
_SUBJECTS = ("obj-1001", "obj-2002", "obj-3003")
# This asks faster than any user may.
_UNLIMITED = {"HUBCONSOLE_PAGES_PER_MINUTE": "1000000", "HUBCONSOLE_API_REQUESTS_PER_MINUTE": "1000000"}

Figures = dict[str, list[float]]


def measure(home: Path, *, sizes: tuple[int, ...]) -> None:
    """
    Print each address and erasure with its median in milliseconds for each size.

    Figures of all sizes so far are in HOME/growth.json, and drawn in HOME/growth.svg.
    """
    for size in sizes:
        url = filled_once(home, f"growth_{size}", partial(_fill, size=size), needed=size * BYTES_PER_MESSAGE)
        _keep(home, size, _pages(home, url, size) | _erasures(home, url))
    known: dict[str, Figures] = json.loads((home / "growth.json").read_text())
    _print(known)
    (home / "growth.svg").write_text(picture(known))


def _fill(url: str, *, size: int) -> None:
    fill_tables(url, fill=partial(fill, messages=size))
    count_history()
    with psycopg.connect(url, autocommit=True) as hub:
        hub.execute("VACUUM ANALYZE")
        hub.execute("CHECKPOINT")


def _pages(home: Path, url: str, size: int) -> Figures:
    """Return the milliseconds of each address, without the rows' ids that differ by size. Errors end it."""
    addresses = _without_payloads(addresses_of(url, size, schema="public"))
    asked = {"addresses": addresses, "deep_queries": [], "depth": 0, "rounds": _ROUNDS}
    as_web = environment(home, url, "hubconsole.settings") | {"HUBCONSOLE_PROCESS": "web"} | _UNLIMITED
    answers = ask(asked, environment=as_web)
    failed = [address for address, found in zip(addresses, answers, strict=True) if found["status"] != 200]
    if failed:
        print(f"No page: {', '.join(failed)}", flush=True)
    names = _without_payloads(addresses_of(url, size, schema="public", named=True))
    return {name: found["ms"] for name, found in zip(names, answers, strict=True) if found["status"] == 200}


def _without_payloads(addresses: list[str]) -> list[str]:
    """Leave out searches of payloads, which need a reason."""
    return [address for address in addresses if "payload_contains" not in address]


def _erasures(home: Path, url: str) -> Figures:
    """Return the milliseconds of reports and erasures of subjects by the command, its start included."""
    found: Figures = {"erase_subject --dry-run": [], "erase_subject": []}
    for subject in _SUBJECTS:
        for name, options in (("erase_subject --dry-run", ["--dry-run"]), ("erase_subject", ["--yes"])):
            command = [sys.executable, "manage.py", "erase_subject", subject, *options]
            began = time.monotonic()
            done = subprocess.run(
                command,
                env=environment(home, url, "hubconsole.settings"),
                stdout=subprocess.PIPE,
                text=True,
            )
            if done.returncode:
                raise SystemExit(f"{subject} was not erased: {done.stdout}")
            found[name].append((time.monotonic() - began) * 1000)
    return found


def _keep(home: Path, size: int, figures: Figures) -> None:
    kept = home / "growth.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    kept.write_text(json.dumps(known | {str(size): figures}))


def _print(known: dict[str, Figures]) -> None:
    sizes = sorted(known, key=int)
    print(" ".join(f"{int(size):>12,}" for size in sizes))
    for name in known[sizes[-1]]:
        print(" ".join(f"{_median(known[size].get(name)):>12}" for size in sizes), name)


def _median(found: Sequence[float] | None) -> str:
    return f"{statistics.median(found):.0f}" if found else "-"
