"""Measure the first and the 1000th page of messages at several sizes, compared with Django's admin."""

import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.databases import fresh_copy, messages_once
from benchmarks.probe import ask_server, times_of

SIZES = (10_000, 1_000_000, 10_000_000)
_PAGE = 50
_DEEP_PAGE = 1000
# Each filter, as the product and as the admin write it.
_FILTERS = (
    ("all", "", ""),
    ("state=FAILED", "state=FAILED", "state=FAILED"),
    ("service_name=billing", "service_name=billing", "service_name=billing"),
    ("state=FAILED, service_name=billing",) + ("state=FAILED&service_name=billing",) * 2,
    ("correlation_id", "correlation_id=corr-77", "correlation_id=corr-77"),
)
# Other filters find too few messages for such a deep page.
_DEEP_FILTERS = 3
_ROUNDS = {"product": 40, "admin": 10}


def measure_lists(home: Path, *, sizes: tuple[int, ...]) -> None:
    """Print, for each size, filter and page, p50 and p95 of both in milliseconds, and the ratio of p50."""
    head = f"{'messages':>10}  {'filter':36} {'page':>5} {'p50 ms':>8} {'p95 ms':>8}"
    print(f"{head} {'admin p50':>10} {'p95':>9} {'ratio':>7}")
    for size in sizes:
        url = filled_database(home, size)
        last = min(_DEEP_PAGE, size // _PAGE)
        product, admin = _measure_product(home, url, last), _measure_admin(home, url, last)
        for key in product:
            _print_row(size, key, product[key], admin.get(key))


def filled_database(home: Path, size: int) -> str:
    """Create a database with this many messages, and with the admin's sessions, and return its address."""
    url = fresh_copy(home, messages_once(home, size))
    sessions = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "sessions"]
    subprocess.run(sessions, check=True, env=make_environment(home, url, "benchmarks.stock_settings"))
    return url


def make_environment(home: Path, url: str, settings: str) -> dict[str, str]:
    return os.environ | {
        "HUBCONSOLE_HOME": str(home),
        "DATABASE_URL": url,
        "DJANGO_SECRET_KEY": "for-measuring-only-" * 4,
        "DJANGO_SETTINGS_MODULE": settings,
        # One user sends all requests.
        "HUBCONSOLE_API_REQUESTS_PER_MINUTE": "100000000",
        "HUBCONSOLE_PAGES_PER_MINUTE": "100000000",
    }


def _measure_product(home: Path, url: str, last: int) -> dict[tuple[str, str], list[float]]:
    first = [f"/messages/?{query}&ordering=-msg_id".replace("?&", "?") for _, query, _ in _FILTERS]
    questions = {
        "addresses": first,
        "deep_queries": [query for _, query, _ in _FILTERS[:_DEEP_FILTERS]],
        "depth": last * _PAGE,
    }
    return _label_times(_probe_pages(home, url, "hubconsole.settings", "product", questions), last)


def _measure_admin(home: Path, url: str, last: int) -> dict[tuple[str, str], list[float]]:
    base = "/admin/messages_app/message/"
    pages = [f"{base}?{query}" for _, _, query in _FILTERS]
    # Filtered lists of the admin may be shorter, so only their first page is requested.
    questions = {"addresses": [*pages, f"{base}?p={last}"], "deep_queries": [], "depth": 0}
    return _label_times(_probe_pages(home, url, "benchmarks.stock_settings", "admin", questions), last)


def _label_times(times: list[list[float]], last: int) -> dict[tuple[str, str], list[float]]:
    """Return the times by (filter, page): the first ones are first pages, in the order of the filters."""
    keys = [(label, page) for page in ("1", str(last)) for label, _, _ in _FILTERS]
    return dict(zip(keys, times, strict=False))


def _probe_pages(home: Path, url: str, settings: str, name: str, questions: dict) -> list[list[float]]:
    answers = ask_server(
        questions | {"rounds": _ROUNDS[name]}, environment=make_environment(home, url, settings)
    )
    return times_of(answers)


def _print_row(size: int, key: tuple[str, str], product: list[float], admin: list[float] | None) -> None:
    p50, p95 = compute_percentiles(product)
    row = f"{size:>10}  {key[0]:36} {key[1]:>5} {p50:>8.0f} {p95:>8.0f}"
    if admin is None:
        print(row)
        return
    admin_p50, admin_p95 = compute_percentiles(admin)
    print(f"{row} {admin_p50:>10.0f} {admin_p95:>9.0f} {admin_p50 / p50:>7.1f}")


def compute_percentiles(times: list[float]) -> tuple[float, float]:
    """Return p50 and p95 of at least two times."""
    return statistics.median(times), statistics.quantiles(times, n=20, method="inclusive")[18]
