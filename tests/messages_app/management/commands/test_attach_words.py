"""The report of `attach --dry-run` with values that all differ."""

from dataclasses import replace

import pytest
from django.core.management import CommandError

from messages_app.attach.report import Report
from messages_app.management.commands.attach import _check_time, _describe_hub, _describe_newest

REPORT = Report(
    release="OpenHub 2.3",
    schema="hub",
    database="hubdb",
    server="15.4",
    role="console",
    zone="Europe/Prague",
    ahead=-600.0,
    archives=[
        {"schema": "old", "script": "archive-1", "missing": ["node_id", "uri"]},
        {"schema": "older", "script": "", "missing": []},
    ],
    tables=[("hub", "message", 7, 8_192), ("hub", "request", None, 16_384)],
    times=["newest message 12:00"],
    missing={"read": [], "live": ["GRANT TRIGGER ON a", "GRANT TRIGGER ON b"]},
    warnings=["a standby"],
    views=["CREATE VIEW v"],
    archive_tables=["CREATE TABLE t"],
    triggers=["CREATE TRIGGER r;"],
    indexes=["CREATE INDEX i"],
    replaced_indexes={"our_idx": "their_idx"},
)


def test_prints_each_part_of_the_report():
    assert list(_describe_hub(REPORT)) == [
        "database   hubdb, PostgreSQL 15.4, role console",
        "hub        OpenHub 2.3 in schema hub",
        "archive    schema old, script archive-1; without node_id, uri",
        "archive    schema older, script unknown",
        "time zone  Europe/Prague: the newest is 10 min ago",
        "table      hub.message: 7 rows, 8192 bytes",
        "table      hub.request: ? rows, 16384 bytes",
        "times      newest message 12:00",
        "rights     read: all",
        "rights     live: missing",
        "           GRANT TRIGGER ON a;",
        "           GRANT TRIGGER ON b;",
        "warning    a standby",
        "",
        "-- views",
        "CREATE VIEW v;",
        "",
        "-- archive tables, only with --create-archive",
        "CREATE TABLE t;",
        "",
        "-- triggers, only with --create-triggers",
        "CREATE TRIGGER r;",
        "",
        "-- indexes, only with --create-indexes",
        "CREATE INDEX i;",
        "-- our_idx exists already as their_idx",
    ]


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (None, "no times"),
        (-7_200.0, "the newest is 2 h ago"),
        (240.0, "the newest is in 4 min"),
    ],
)
def test_says_how_old_the_newest_row_is(ahead, words):
    assert _describe_newest(replace(REPORT, ahead=ahead)) == words


@pytest.mark.parametrize("ahead", [None, -1.0, 0.0, 300.0])
def test_accepts_times_up_to_five_minutes_in_the_future(ahead):
    _check_time(replace(REPORT, ahead=ahead))


def test_refuses_times_further_in_the_future():
    with pytest.raises(CommandError) as refused:
        _check_time(replace(REPORT, ahead=301.0))
    assert str(refused.value) == (
        "Nothing was created: the hub's newest time is 5 min in the future of Europe/Prague. Name the time"
        " zone of its Java process with --time-zone."
    )
