"""
Corrects payloads by find and replace, and sends each as a new message. Uses psycopg only, no Django.

The new messages, the cancels, the links and the ledger of a slice are one transaction, so a job that is
killed and resumed sends nothing twice.

Source: docs/contributing/spec/cleverbus.md, "Correct and resend"; docs/contributing/spec/design.md, R-5, R-6.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import psycopg

from messages_app.shared.corrections import cancel_originals, link_messages, store_corrected
from messages_app.shared.job_states import SkipReason, skipped_outcome
from messages_app.shared.message_states import RULE_SETS, RuleSet
from messages_app.shared.replacements import Replacement
from spark_tasks.actions.transitions import lock_free_messages, reasons_of_missing
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.corrected_messages import read_corrections, split_by_size
from spark_tasks.database import TaskStatements

statements = TaskStatements("spark_tasks")


@dataclass(frozen=True, kw_only=True)
class Resend:
    """
    Resends messages whose state is the same as when the set was frozen.

    Args:
        rules: the name of the hub's rule set.
        zone: the time zone of an attached hub.
    """

    replacement: Replacement
    cancel_original: bool
    rules: str
    zone: str | None = None

    may_be_repeated = False  # The hub then picks up the new messages.

    @property
    def new_state(self) -> str | None:
        return self._rule_set.cancel_to if self.cancel_original else None

    @property
    def _rule_set(self) -> RuleSet:
        return RULE_SETS[self.rules]

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Send the messages that can be corrected. Raises as contract.Action."""
        statements.run_statement(connection, "name_actor", {"job_id": key.job_id})
        sizes = self._lock_messages(connection, items)
        missing = [item for item in items if item.msg_id not in sizes]
        decided = Decided(refusals=self._refuse_missing(connection, missing))
        states = {item.msg_id: item.old_state for item in items}
        for ids in split_by_size(sizes.items()):
            decided += self._send_messages(connection, key, {msg_id: states[msg_id] for msg_id in ids})
        return decided

    def _lock_messages(self, connection: psycopg.Connection, items: Sequence[Item]) -> dict[int, int]:
        """Return the bytes of the payload of each message that is as it was when the set was frozen."""
        values = {
            "ids": [item.msg_id for item in items],
            "states": [item.old_state for item in items],
            "allowed": sorted(self._rule_set.resend_from),
        }
        return dict(statements.fetch_rows(connection, "lock_payloads", values))

    def _refuse_missing(self, connection: psycopg.Connection, missing: Sequence[Item]) -> dict[int, str]:
        if not missing:
            return {}
        free = lock_free_messages(connection, missing)
        return reasons_of_missing(connection, missing, {item.msg_id for item in missing} - free)

    def _send_messages(self, connection: psycopg.Connection, key: JobKey, states: dict[int, str]) -> Decided:
        """Send the locked messages with these states whose payload can be corrected."""
        corrected, refusals = self._correct_payloads(connection, states)
        expected: dict[int, str | None] = {msg_id: states[msg_id] for msg_id in corrected}
        versions: frozenset[str] = frozenset()
        with connection.cursor() as cursor:
            links = (
                link_messages(cursor, expected, rules=self._rule_set, job_id=key.job_id) if expected else []
            )
            if links:
                store_corrected(cursor, links, corrected, rules=self._rule_set, zone=self.zone)
            if links and self.cancel_original:
                versions = cancel_originals(cursor, links, rules=self._rule_set, zone=self.zone)
        unsent = set(corrected) - {link.original_id for link in links}
        refusals |= {msg_id: skipped_outcome(SkipReason.ALREADY_RESENT) for msg_id in unsent}
        pairs = [[link.original_id, link.msg_id] for link in links]
        return Decided(refusals=refusals, versions=versions, details={"resent": pairs})

    def _correct_payloads(
        self, connection: psycopg.Connection, ids: Collection[int]
    ) -> tuple[dict[int, str], dict[int, str]]:
        """Return the corrected payloads and the refusals, by message."""
        corrected: dict[int, str] = {}
        refusals: dict[int, str] = {}
        for msg_id, correction in read_corrections(connection, list(ids), self.replacement):
            if correction.payload is None:
                refusals[msg_id] = skipped_outcome(correction.refusal or SkipReason.NOT_WELL_FORMED)
            else:
                corrected[msg_id] = correction.payload
        return corrected, refusals
