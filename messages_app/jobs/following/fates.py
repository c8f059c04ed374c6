"""What is, by now, of the messages that a job has tried: looked up one chunk of the job at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from django.db import connection

from messages_app.jobs.sql import statement
from messages_app.jobs.states import ChunkContent, StoreName
from messages_app.messages.states import MessageState

# What finds the fates of each store's rows.
_STATEMENTS = {StoreName.MESSAGES: "fates", StoreName.MESSAGE_STORE: "stored_fates"}


class Place(StrEnum):
    """Where a message is found."""

    REFUSED = "refused"  # the job tried it, and it failed at once
    LIVE = "live"
    ARCHIVED = "archived"
    GONE = "gone"


@dataclass(frozen=True, kw_only=True)
class Fate:
    """
    Messages of a job that ended alike.

    Args:
        state: theirs now; None where they are gone, or were refused and are gone since.
        is_untouched: nobody has written them since the job did.
    """

    place: Place
    state: str | None
    is_untouched: bool
    count: int

    @property
    def is_failed_try(self) -> bool:
        """Whether the job failed at them, or the hub since. Source: spec/cleverbus.md 2.3."""
        if self.place == Place.REFUSED:
            return True
        has_failed_again = self.state == MessageState.PARTLY_FAILED and not self.is_untouched
        return self.state == MessageState.FAILED or has_failed_again


@dataclass(frozen=True, kw_only=True)
class TriedChunk:
    """A chunk that an attempt has begun; `tried`: how many of its messages were done or failed."""

    chunk_no: int
    tried: int


def tried_chunks(job_id: int) -> list[TriedChunk]:
    """Return the chunks of messages that were begun: those under way first, then the one done last."""
    rows = _rows("tried_chunks", job_id=job_id, content=ChunkContent.MESSAGES)
    return [TriedChunk(chunk_no=chunk_no, tried=tried) for chunk_no, tried in rows if tried]


def fates(
    job_id: int, chunk_no: int, *, most: int | None = None, store: StoreName = StoreName.MESSAGES
) -> list[Fate]:
    """Return what became of a chunk's messages, of an even sample of at most `most` where that is given."""
    return [
        Fate(place=Place(place), state=state, is_untouched=is_untouched, count=count)
        for place, state, is_untouched, count in _rows(
            _STATEMENTS[store], job_id=job_id, chunk_no=chunk_no, most=most
        )
    ]


def _rows(name: str, **values: object) -> Iterator[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement(name), values)
        return iter(cursor.fetchall())
