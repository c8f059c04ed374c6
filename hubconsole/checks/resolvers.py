"""Whether each document trigger's resolver can be asked, by a process that has this one's modules."""

from hubconsole.checks.unhealthy import Unhealthy
from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.resolvers import fault_of

_MOST_TRIGGERS = 10_000
_MOST_NAMED = 5


def check_resolvers() -> None:
    """Refuse triggers whose resolver nobody has registered: their inconclusive documents wait In Doubt."""
    rows = DocumentTrigger.objects.filter(deleted_at=None).exclude(resolver="")
    triggers = list(rows.order_by("trigger_id").values_list("trigger_id", "resolver")[:_MOST_TRIGGERS])
    faults = {resolver: fault_of(resolver) for _, resolver in triggers}
    wrong = [trigger_id for trigger_id, resolver in triggers if faults[resolver]]
    if not wrong:
        return
    more = f" and {len(wrong) - _MOST_NAMED} more" if wrong[_MOST_NAMED:] else ""
    named = ", ".join(wrong[:_MOST_NAMED]) + more
    first = next(fault for fault in faults.values() if fault)
    why = f"the resolver of {named} cannot be asked: {first.rstrip('.')}"
    do = (
        "Name its module in HUBCONSOLE_RESOLVERS of every process that answers checks, or choose another"
        " resolver."
    )
    raise Unhealthy(why, do)
