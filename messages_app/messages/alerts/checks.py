"""
Checks watch rules: opens an alert when a rule is above its limit, and closes it when it no longer is. Each
happens once, however many processes check at the same time.

The process whose statement opens or closes the alert writes the notices, in the same transaction.
"""

import logging

from django.db import connection, transaction

from messages_app.core.statements import Statements
from messages_app.messages.alerts.measures import CannotMeasure, measure_rule
from messages_app.messages.alerts.models import AlertNotice, WatchRule
from messages_app.messages.alerts.states import Channel, Turn

statements = Statements("messages_app.messages.alerts")


logger = logging.getLogger(__name__)


def check_rules() -> None:
    """Check all enabled rules. A rule whose check fails does not keep the others from being checked."""
    # The worker's database role cannot read passwords.
    rules = WatchRule.objects.select_related("saved_view__owner").defer("saved_view__owner__password")
    for rule in rules.filter(enabled=True):
        try:
            check_rule(rule)
        except Exception:
            logger.exception("The watch rule %s could not be checked.", rule.pk)
            connection.close_if_unusable_or_obsolete()


def check_rule(rule: WatchRule) -> None:
    """Measure a rule, and open or close its alert. If the measurement fails, the alert stays as it is."""
    try:
        value = measure_rule(rule)
    except CannotMeasure as error:
        statements.count("record_check", {"rule_id": rule.pk, "value": None, "error": str(error)[:300]})
        return
    current: dict[str, object] = {"rule_id": rule.pk, "value": value}
    with transaction.atomic():
        statements.count("record_check", current | {"error": ""})
        if value <= rule.limit:
            _close_alert(rule, current)
        elif not statements.count("update_open_alert", current):
            _open_alert(rule, current)


def _open_alert(rule: WatchRule, current: dict[str, object]) -> None:
    opened = statements.fetch_row("open_alert", current)
    if opened is None:
        return
    alert_id, is_quiet = opened
    if not is_quiet:
        statements.count("start_quiet_time", {"rule_id": rule.pk})
        _write_notices(rule, alert_id, Turn.OPENED)


def _close_alert(rule: WatchRule, current: dict[str, object]) -> None:
    closed = statements.fetch_row("close_alert", current)
    if closed is None:
        return
    alert_id, is_quiet = closed
    if not is_quiet:
        _write_notices(rule, alert_id, Turn.CLOSED)


def _write_notices(rule: WatchRule, alert_id: int, turn: Turn) -> None:
    targets = [(Channel.MAIL, address) for address in rule.mail_to]
    if rule.webhook_url:
        targets.append((Channel.WEBHOOK, rule.webhook_url))
    AlertNotice.objects.bulk_create(
        AlertNotice(alert_id=alert_id, turn=turn, channel=channel, target=target)
        for channel, target in targets
    )
