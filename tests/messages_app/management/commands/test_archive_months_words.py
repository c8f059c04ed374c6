from datetime import date

from messages_app.jobs.archive_months.tables import Month, MonthSize
from messages_app.management.commands.archive_months import _as_dict, _describe_partition

KNOWN = MonthSize(
    month=Month(first=date(2026, 5, 1), end=date(2026, 6, 1)),
    is_attached=True,
    messages=12,
    stored_bytes=2_000,
)
DETACHED = MonthSize(
    month=Month(first=date(2025, 4, 1), end=date(2025, 5, 1)),
    is_attached=False,
    messages=7,
    stored_bytes=3_000,
)
OTHER = MonthSize(month=None, is_attached=True, messages=None, stored_bytes=4_000)


def test_describes_each_month_in_one_line():
    assert [_describe_partition(each) for each in (KNOWN, DETACHED, OTHER)] == [
        "2026-05: about 12 messages, 2 kB",
        "2025-04: about 7 messages, 3 kB, detached",
        "other: messages not counted yet, 4 kB",
    ]


def test_has_all_values_of_a_month_for_programs():
    assert [_as_dict(each) for each in (DETACHED, OTHER)] == [
        {"month": "2025-04", "is_attached": False, "messages": 7, "stored_bytes": 3_000},
        {"month": "other", "is_attached": True, "messages": None, "stored_bytes": 4_000},
    ]
