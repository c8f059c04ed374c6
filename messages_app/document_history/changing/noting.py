"""What the console keeps of a delivery that is not let through: an outcome, and a line in the inbox."""

import json
import logging

from django.db import transaction

from messages_app.document_history.changing.delivered import Checked, Delivered
from messages_app.document_history.changing.refusals import HistoryUnavailable
from messages_app.document_history.changing.sending import asking_history, row_of
from messages_app.document_history.models import DocumentOutcome
from messages_app.document_history.states import Rule, Verdict

log = logging.getLogger(__name__)
MAX_IDENTIFIER, MAX_NAME, MAX_MESSAGE = 300, 200, 1000


def note(delivered: Delivered, checked: Checked) -> bool:
    """
    Keep a Duplicate or In Doubt, and return whether it is kept.

    Only where the history could not be reached may it be lost, as the vendor warns (1.7): the log has it.

    Raises:
        HistoryUnavailable: it could not be kept, of a delivery that the history was asked about.
    """
    try:
        with asking_history(), transaction.atomic():
            _note_outcome(delivered, checked)
            if checked.verdict is Verdict.IN_DOUBT:
                _note_in_doubt(delivered, checked)
    except HistoryUnavailable:
        if checked.rule is not Rule.HISTORY_UNAVAILABLE:
            raise
        identifier = delivered.delivery.identity.given
        log.error("Lost in doubt: trigger %r, document %r", delivered.trigger_id, identifier)
        return False
    return True


def _note_outcome(delivered: Delivered, checked: Checked) -> None:
    DocumentOutcome.objects.create(
        trigger_id=delivered.trigger_id,
        document_name=delivered.document_name[:MAX_NAME],
        identifier=delivered.delivery.identity.given[:MAX_IDENTIFIER],
        status=checked.verdict,
        redelivery_count=delivered.delivery.redelivery_count,
        decided_by=checked.decided_by,
        rule=checked.rule,
        message=checked.message[:MAX_MESSAGE],
    )


def _note_in_doubt(delivered: Delivered, checked: Checked) -> None:
    row_of(
        "note_in_doubt",
        {
            "trigger_id": delivered.trigger_id,
            "uuid": delivered.uuid or "",
            "identifier": delivered.delivery.identity.given[:MAX_IDENTIFIER],
            "document_name": delivered.document_name[:MAX_NAME],
            "redelivery_count": delivered.delivery.redelivery_count,
            "rule": checked.rule,
            "message": checked.message[:MAX_MESSAGE],
            "document": None if delivered.document is None else json.dumps(delivered.document),
        },
    )
