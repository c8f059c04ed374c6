"""
Opens an alert when a rule's limit is passed, and closes it when it no longer is; each once, whoever looks.

The first to insert, or to close, is the one who writes the notices, in the same transaction.
"""

import logging

from django.db import connection, transaction

from messages_app.messages.watching.measuring import CannotMeasure, measured
from messages_app.messages.watching.models import AlertNotice, WatchRule
from messages_app.messages.watching.sql import sender
from messages_app.messages.watching.states import Channel, Turn

logger = logging.getLogger(__name__)


def check_rules() -> None:
    """Look at each rule once; what goes wrong with one keeps no other waiting."""
    # The worker's database role reads no passwords.
    rules = WatchRule.objects.select_related("saved_view__owner").defer("saved_view__owner__password")
    for rule in rules.filter(enabled=True):
        try:
            check_rule(rule)
        except Exception:
            logger.exception("The watch rule %s could not be looked at.", rule.pk)
            connection.close_if_unusable_or_obsolete()


def check_rule(rule: WatchRule) -> None:
    """Measure, and open or close the rule's alert. What cannot be measured opens and closes nothing."""
    try:
        value = measured(rule)
    except CannotMeasure as error:
        sender.count_of("note_look", {"rule_id": rule.pk, "value": None, "error": str(error)[:300]})
        return
    found = {"rule_id": rule.pk, "value": value}
    with transaction.atomic():
        sender.count_of("note_look", found | {"error": ""})
        if value <= rule.limit:
            _close(rule, found)
        elif not sender.count_of("note_value", found):
            _open(rule, found)


def _open(rule: WatchRule, found: dict[str, object]) -> None:
    opened = sender.row_of("open_alert", found)
    if opened is None:
        return
    alert_id, is_quiet = opened
    if not is_quiet:
        sender.count_of("note_told", {"rule_id": rule.pk})
        _write_notices(rule, alert_id, Turn.OPENED)


def _close(rule: WatchRule, found: dict[str, object]) -> None:
    closed = sender.row_of("close_alert", found)
    if closed is not None and not closed[1]:
        _write_notices(rule, closed[0], Turn.CLOSED)


def _write_notices(rule: WatchRule, alert_id: int, turn: Turn) -> None:
    targets = [(Channel.MAIL, address) for address in rule.mail_to]
    if rule.webhook_url:
        targets.append((Channel.WEBHOOK, rule.webhook_url))
    AlertNotice.objects.bulk_create(
        AlertNotice(alert_id=alert_id, turn=turn, channel=channel, target=target)
        for channel, target in targets
    )
