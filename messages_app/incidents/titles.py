"""The title of an incident: the system, sender or service of its failures, and the most frequent cause."""

from collections import Counter

from messages_app.incidents.gathering.records import Cluster, Failures
from messages_app.incidents.models import MAX_TITLE
from messages_app.shared.error_titles import title_of_cause

_NO_TEXT = "Failures without an error text"


def make_title(cluster: Cluster, failures: Failures) -> str:
    """Return the title of a cluster, such as "pay.bank.example: Connection refused"."""
    causes: Counter[str] = Counter()
    for member in cluster.members:
        minutes = failures.get(member.cell, {})
        causes[member.cell.text] += sum(
            count for minute, count in minutes.items() if member.has_minute(minute)
        )
    cause = title_of_cause(causes.most_common(1)[0][0]) if causes else ""
    services = cluster.services
    place = cluster.key.system or cluster.key.sender
    if not place:
        place = services[0] if len(services) == 1 else f"{len(services)} services"
    title = f"{place}: {cause or _NO_TEXT}"
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1].rstrip()}…"
