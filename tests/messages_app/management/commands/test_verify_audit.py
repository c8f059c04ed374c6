"""Everything that `verify_audit` prints, with numbers that all differ."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from messages_app.audit.models import AuditEntry, AuditSeal, AuditTombstone
from tests.messages_app.audit.tampering import behind_its_back
from tests.messages_app.audit.test_retention import forget, sealed_entries

pytestmark = pytest.mark.django_db


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("verify_audit", *arguments, stdout=out)
    return out.getvalue()


def test_prints_the_last_seal_the_unsealed_entries_and_what_was_removed():
    entries = sealed_entries(30, 26, 20, 13, 13, 1)
    forget(24)
    forget(12)
    newest = AuditEntry.objects.latest("pk")
    behind_its_back(
        "UPDATE audit_entry SET at = now() - interval '3 minutes' WHERE entry_id > %s", [entries[-1]]
    )
    last, stones = AuditSeal.objects.get(pk=3), list(AuditTombstone.objects.order_by("pk"))
    assert (last.last_id, newest.pk) == (entries[5], entries[5] + 2)
    assert said() == (
        f"3 seals hold, up to entry {entries[5]}: 3:{last.digest}\n"
        "Unsealed: 2 entries not sealed yet, the oldest for 3 min.\n"
        f"Removed for their age at {stones[0].made_at:%Y-%m-%d %H:%M:%S} UTC: entries 1 to {entries[1]}.\n"
        f"Removed for their age at {stones[1].made_at:%Y-%m-%d %H:%M:%S} UTC:"
        f" entries {entries[1] + 1} to {entries[3]}.\n"
    )
    result = json.loads(said("--json", "--expect", f"3:{last.digest}"))
    assert 180 <= result.pop("unsealed_seconds") < 240
    assert [each.pop("made_at")[:19] for each in result["removed"]] == [
        stone.made_at.isoformat()[:19] for stone in stones
    ]
    assert result == {
        "seals": 3,
        "last_entry": entries[5],
        "digest": last.digest,
        "unsealed": 2,
        "removed": [
            {"first_id": 1, "last_id": entries[1], "entries": 2},
            {"first_id": entries[1] + 1, "last_id": entries[3], "entries": 2},
        ],
    }
