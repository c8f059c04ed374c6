"""
Corrects payloads by find and replace, and sends each as a new message. Uses psycopg only, no Django.

The new messages, the cancels, the links and the ledger of a slice are one transaction, so a job that is
killed and resumed sends nothing twice.

Source: docs/contributing/spec/cleverbus.md, "Correct and resend"; docs/contributing/spec/design.md, R-5, R-6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from messages_app.shared.corrected_payloads import MAX_EDITED_BYTES
from messages_app.shared.corrections import cancel_originals, link_messages, store_corrected
from messages_app.shared.job_states import SkipReason, skipped_outcome
from messages_app.shared.message_states import RULE_SETS, RuleSet
from messages_app.shared.replacements import Replacement
from spark_tasks.actions.transitions import lock_free_messages, reasons_of_missing
from spark_tasks.contract import Decided, Item, JobKey
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
        payloads = self._lock_payloads(connection, items)
        corrected, refusals = self._correct_payloads(payloads)
        missing = [item for item in items if item.msg_id not in payloads]
        if missing:
            free = lock_free_messages(connection, missing)
            locked = {item.msg_id for item in missing} - free
            refusals |= reasons_of_missing(connection, missing, locked)
        states: dict[int, str | None] = {
            item.msg_id: item.old_state for item in items if item.msg_id in corrected
        }
        versions: frozenset[str] = frozenset()
        with connection.cursor() as cursor:
            links = link_messages(cursor, states, rules=self._rule_set, job_id=key.job_id) if states else []
            if links:
                store_corrected(cursor, links, corrected, rules=self._rule_set, zone=self.zone)
            if links and self.cancel_original:
                versions = cancel_originals(cursor, links, rules=self._rule_set, zone=self.zone)
        sent = {link.original_id for link in links}
        refusals |= {
            msg_id: skipped_outcome(SkipReason.ALREADY_RESENT) for msg_id in states if msg_id not in sent
        }
        pairs = [[link.original_id, link.msg_id] for link in links]
        return Decided(refusals=refusals, versions=versions, details={"resent": pairs})

    def _lock_payloads(self, connection: psycopg.Connection, items: Sequence[Item]) -> dict[int, str | None]:
        values = {
            "ids": [item.msg_id for item in items],
            "states": [item.old_state for item in items],
            "allowed": sorted(self._rule_set.resend_from),
            "most": MAX_EDITED_BYTES,
        }
        return dict(statements.fetch_rows(connection, "lock_payloads", values))

    def _correct_payloads(self, payloads: dict[int, str | None]) -> tuple[dict[int, str], dict[int, str]]:
        """Return the corrected payloads and the refusals, by message."""
        corrected: dict[int, str] = {}
        refusals: dict[int, str] = {}
        for msg_id, payload in payloads.items():
            if payload is None:
                refusals[msg_id] = skipped_outcome(SkipReason.TOO_LARGE)
                continue
            correction = self.replacement.correct_payload(payload)
            if correction.payload is None:
                refusals[msg_id] = skipped_outcome(correction.refusal or SkipReason.NOT_WELL_FORMED)
            else:
                corrected[msg_id] = correction.payload
        return corrected, refusals
