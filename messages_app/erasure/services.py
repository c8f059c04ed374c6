"""A complete run: all stores, then all stores again to check that only the reported rows are left."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module

from messages_app.audit.services import Actor
from messages_app.core.statements import Statements
from messages_app.core.stores import installed_stores
from messages_app.erasure.archive_files import sweep_files
from messages_app.erasure.incidents import erase_incidents
from messages_app.erasure.keys import Key
from messages_app.erasure.parameters import erase_parameters
from messages_app.erasure.run import Erasure
from messages_app.messages.attachment import Feature, refuse_if_attached

statements = Statements("messages_app.erasure")


class CannotErase(Exception):
    """Nothing is erased. The message says why."""


@dataclass(frozen=True, kw_only=True)
class Erased:
    """
    The result of a run or a dry run.

    Args:
        rows: how many rows were erased or changed, by table.
        left: (table, name, why) of rows that stay.
        parents: parents of erased messages.
        again: rows that a second search has found.
    """

    rows: Counter[str]
    left: list[tuple[str, str, str]]
    parents: list[int]
    again: Counter[str] = field(default_factory=Counter)


def would_erase(*, key: Key, actor: Actor) -> Erased:
    """
    Return what `erase` would do now: every step is rolled back.

    Raises:
        CannotErase: the role may not, or another run is in progress.
    """
    with _hold_lock():
        return _result_of(_run_erasure(key=key, actor=actor, reason="", dry_run=True))


def erase_subject(*, key: Key, actor: Actor, reason: str) -> Erased:
    """
    Erase everything with the key, and check again. After a crash, run it again to finish.

    Raises:
        CannotErase: the role may not, or another run is in progress.
    """
    with _hold_lock():
        sweep_files()
        done = _run_erasure(key=key, actor=actor, reason=reason, dry_run=False)
        sweep_files()
        second = _run_erasure(key=key, actor=actor, reason=reason, dry_run=True)
        done.left |= second.left
        return _result_of(done, again=second.rows)


def _run_erasure(*, key: Key, actor: Actor, reason: str, dry_run: bool) -> Erasure:
    erasure = Erasure(key=key, actor=actor, reason=reason, dry_run=dry_run)
    for store in installed_stores():
        import_module(store.erasure).erase_subject(erasure)
    erase_parameters(erasure)
    erase_incidents(erasure)
    return erasure


def _result_of(erasure: Erasure, *, again: Counter[str] | None = None) -> Erased:
    return Erased(
        rows=+erasure.rows,
        left=sorted((place, name, why) for (place, name), why in erasure.left.items()),
        parents=sorted(erasure.parents),
        again=again or Counter(),
    )


@contextmanager
def _hold_lock() -> Iterator[None]:
    """Prevent other erasures until this ends. Raises CannotErase, NotAttachedForThis."""
    refuse_if_attached(Feature.ERASE)
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
        statements.fetch_row("release_erasing", {})
