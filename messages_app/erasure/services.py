"""A whole run: every place, then every place once more, which must have nothing left but what was told."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module

from messages_app.audit.services import Actor
from messages_app.core.statements import Statements
from messages_app.core.stores import stores
from messages_app.erasure.keys import Key
from messages_app.erasure.parquet import sweep_files
from messages_app.erasure.requests import erase_parameters
from messages_app.erasure.run import Erasure

statements = Statements("messages_app.erasure")


class CannotErase(Exception):
    """Nothing is erased; its message says why."""


@dataclass(frozen=True, kw_only=True)
class Erased:
    """
    What a run did, or would.

    Args:
        rows: that went, or were changed, by place.
        left: (place, name, why) of what stays.
        parents: messages above the ones that went.
        again: rows that a second search found after all.
    """

    rows: Counter[str]
    left: list[tuple[str, str, str]]
    parents: list[int]
    again: Counter[str] = field(default_factory=Counter)


def would_erase(*, key: Key, actor: Actor) -> Erased:
    """
    Return what `erase` would do now: every step is done and undone.

    Raises:
        CannotErase: the role may not, or another run is in progress.
    """
    with _alone():
        return _told(_run(key=key, actor=actor, reason="", dry_run=True))


def erase(*, key: Key, actor: Actor, reason: str) -> Erased:
    """
    Erase all that the key finds, and look once more. May be run again after a crash, and ends the work.

    Raises:
        CannotErase: the role may not, or another run is in progress.
    """
    with _alone():
        sweep_files()
        done = _run(key=key, actor=actor, reason=reason, dry_run=False)
        sweep_files()
        second = _run(key=key, actor=actor, reason=reason, dry_run=True)
        done.left |= second.left
        return _told(done, again=second.rows)


def _run(*, key: Key, actor: Actor, reason: str, dry_run: bool) -> Erasure:
    erasure = Erasure(key=key, actor=actor, reason=reason, dry_run=dry_run)
    for store in stores():
        import_module(store.erasure).erase(erasure)
    erase_parameters(erasure)
    return erasure


def _told(erasure: Erasure, *, again: Counter[str] | None = None) -> Erased:
    return Erased(
        rows=+erasure.rows,
        left=sorted((place, name, why) for (place, name), why in erasure.left.items()),
        parents=sorted(erasure.parents),
        again=again or Counter(),
    )


@contextmanager
def _alone() -> Iterator[None]:
    """Let no one else erase until this ends. Raises CannotErase."""
    role, may_erase = statements.only_row("may_erase", {})
    if not may_erase:
        raise CannotErase(
            f"The role {role} has no permission to erase. Run this as the owner of the tables or the role "
            "of the part erase."
        )
    if not statements.only_row("hold_erasing", {})[0]:
        raise CannotErase("Another erasure is running. Wait until it finishes.")
    try:
        yield
    finally:
        statements.row("release_erasing", {})
