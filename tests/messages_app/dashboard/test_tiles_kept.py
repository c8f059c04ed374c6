"""How long a tile that was slow to read is kept, and how each tile is made."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.dashboard import console_tiles
from messages_app.dashboard import tiles as tiles_module
from messages_app.dashboard.snapshot import Snapshot
from messages_app.dashboard.tiles import Tile, _cache_key, _keep_if_slow, _Source, read_tiles
from messages_app.jobs.models import Job
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db
NOTHING = _Source(read=lambda snapshot: {})


def kept(seconds: float, source: _Source = NOTHING, *, window: str = "24h") -> Tile | None:
    """Return the tile that is kept if reading it took this number of seconds."""
    cache.clear()
    now = database_clock()
    _keep_if_slow(Tile(name="one", read_at=now), source, Snapshot(now=now, window=window), seconds=seconds)
    return cache.get("tile-one-24h")


class TestKept:
    def test_are_only_tiles_that_were_slow(self):
        assert kept(0.01) is None
        assert kept(0.011).name == "one"
        assert kept(0.011, window="1h") is None
        assert cache.get(_cache_key("one", "1h")).name == "one"

    def test_are_not_tiles_that_were_read_in_less_than_a_minute(self, monkeypatch):
        monkeypatch.setattr(tiles_module, "_SLOW_SECONDS", 60)
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE response RENAME TO gone")
        found = {tile.name: tile for tile in read_tiles()}
        assert (found["systems"].fault, found["failing"].fault) == ("This could not be read in time.", "")
        assert cache.get_many([_cache_key(name, "24h") for name in found]) == {}

    def test_are_kept_for_no_longer_than_their_maximum(self):
        assert kept(50, _Source(read=NOTHING.read, max_age=60)).name == "one"
        assert kept(50, _Source(read=NOTHING.read, max_age=0)) is None


class TestTiles:
    def test_have_the_moment_of_one_snapshot_and_their_lists(self):
        before = database_clock()
        found = {tile.name: tile for tile in read_tiles()}
        assert {tile.fault for tile in found.values()} == {""}
        (read_at,) = {tile.read_at for tile in found.values()}
        assert before <= read_at <= database_clock()
        assert {name: tile.query for name, tile in found.items() if tile.query} == {
            "failing": "state=FAILED",
            "waiting": (
                "state=NEW,IN_QUEUE,PROCESSING,WAITING,WAITING_FOR_RES&last_process_timestamp_to=-15m"
            ),
            "oldest": (
                "state=NEW,IN_QUEUE,PROCESSING,WAITING,WAITING_FOR_RES,PARTLY_FAILED,POSTPONED"
                "&ordering=receive_timestamp"
            ),
            "throughput": "state=OK&last_process_timestamp_from=-1h",
        }

    def test_are_read_for_their_window(self):
        make_message(state="OK", receive_timestamp=database_clock() - timedelta(hours=5))
        cache.clear()
        starts = {}
        for window, hours in (("1h", 1), ("24h", 24)):
            (flow,) = (tile for tile in read_tiles(window) if tile.name == "flow")
            starts[hours] = flow.content["end"] - flow.content["start"]
        assert timedelta(hours=1) <= starts[1] < timedelta(hours=2)
        assert timedelta(hours=24) <= starts[24] < timedelta(hours=25)

    def test_show_the_last_run_of_any_kind_that_frees_space(self):
        def last_run() -> int:
            return console_tiles.read_archive(Snapshot(now=database_clock(), window="24h"))["last"]["job_id"]

        ran = {"state": "done", "created_by": "ana", "reason": "x", "finished_at": database_clock()}
        kinds = {spec.kind: spec.frees_space for spec in console_tiles.kind_specs.values()}
        assert {kinds["archive"], kinds["restart"]} == {True, False}
        for kind in (kind for kind, frees_space in kinds.items() if frees_space):
            job = Job.objects.create(kind=kind, **ran)
            assert last_run() == job.pk
        for kind in (kind for kind, frees_space in kinds.items() if not frees_space):
            Job.objects.create(kind=kind, **ran)
        assert last_run() == job.pk
