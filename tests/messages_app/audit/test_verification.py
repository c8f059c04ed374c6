import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_audit
from messages_app.audit import seals, verification
from messages_app.audit.services import Actor, record_entry
from messages_app.audit.tasks import seal_audit
from messages_app.core.statements import Statements
from messages_app.dashboard.metrics import read_families
from tests.messages_app.audit.tampering import behind_its_back

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.audit")


def add(*ages: str) -> None:
    """Store an entry of each age, as an interval."""
    for age in ages:
        entry = record_entry(actor=Actor(username="ada"), action="restart")
        behind_its_back(
            "UPDATE audit_entry SET at = now() - %s::interval WHERE entry_id = %s", [age, entry.pk]
        )


def verified(*arguments: str) -> dict:
    out = StringIO()
    call_command("verify_audit", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def metric(name: str) -> float:
    (family,) = [each for each in read_families() if each.metric.name == name]
    ((_, value),) = family.samples
    return value


class TestUnsealed:
    def test_counts_the_entries_without_a_seal_and_the_age_of_the_oldest(self):
        add("5 minutes", "1 minute")
        found = verification.count_unsealed()
        assert found.entries == 2
        assert 299 <= found.seconds < 330
        assert str(found) == "2 entries not sealed yet, the oldest for 5 min"
        seal_audit()
        assert (verification.count_unsealed().entries, verification.count_unsealed().seconds) == (0, 0)
        assert str(verification.count_unsealed()) == "all entries are sealed"

    def test_counts_no_further_than_a_limit(self, monkeypatch):
        monkeypatch.setattr(verification, "MAX_COUNTED", 2)
        add("0 s", "0 s", "0 s", "0 s")
        told = str(verification.count_unsealed())
        assert told.startswith("more than 2 entries not sealed yet, the oldest for ")

    @pytest.mark.parametrize(("age", "is_too_old"), [("9 min 50 s", False), ("10 min 1 s", True)])
    def test_fails_in_every_report_above_ten_minutes(self, age, is_too_old):
        add("1 minute")
        seal_audit()
        add(age, "0 s")
        assert metric("hubconsole_audit_unsealed") == 2
        assert 590 <= metric("hubconsole_audit_unsealed_age_seconds") < 630
        if is_too_old:
            with pytest.raises(CommandError, match=r"Sealing has stopped: 2 entries not .* for 10 min"):
                call_command("verify_audit")
            with pytest.raises(Unhealthy, match=r"no longer sealed: 2 entries not sealed yet, .* 10 min"):
                check_audit()
        else:
            found = verified()
            assert (found["seals"], found["unsealed"]) == (1, 2)
            assert 590 <= found["unsealed_seconds"] < 630
            assert check_audit() == "2 entries not sealed yet, the oldest for 9 min"

    def test_is_reported_when_there_is_no_seal_at_all(self):
        assert verified() == {"seals": 0, "unsealed": 0, "unsealed_seconds": 0}
        add("11 minutes")
        with pytest.raises(CommandError, match=r"Sealing has stopped: 1 entry not sealed yet"):
            call_command("verify_audit")

    def test_is_not_hidden_by_an_id_that_was_never_assigned(self):
        add("1 minute")
        behind_its_back(
            "INSERT INTO audit_entry (entry_id, actor, action, outcome, details, before_state, after_state,"
            " reason, token_name, request_id) VALUES (9e15, 'x', 'x', 'done', '{}', '', '', '', '', '')"
        )
        assert seals.seal_up_to(9 * 10**15) == 2
        add("11 minutes")
        assert verification.count_unsealed().entries == 1
        with pytest.raises(Unhealthy, match="no longer sealed: 1 entry"):
            check_audit()
        seal_audit()
        with pytest.raises(Unhealthy, match=r"tampered with: Entries with ids that .*: 9000000000000000$"):
            check_audit()


class TestPlans:
    """Statements of every pass and report read few rows of a log of any size."""

    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("unsealed", {"after": 10, "up_to": 10**6, "late": [3, 4], "most": 100}),
            ("foreign_ids", {"most": 5}),
            ("late_entries", {"settled": 0, "most": 100}),
            ("settled", {"before": 100}),
            ("resume", {"first_id": 1, "last_id": 9 * 10**15, "entries": 3, "up_to": 10**9}),
            ("ids_beyond", {"after": 10**6, "up_to": 9 * 10**15}),
            (
                "digest_entries",
                {"after": 10, "up_to": 10**6, "most": 100, "late": [3], "elsewhere": [12], "before": 0},
            ),
            ("remove_entries", {"first_id": 1, "last_id": 50, "elsewhere": [7], "late": [3]}),
            ("are_old", {"first_id": 1, "last_id": 50, "elsewhere": [7], "late": [3], "months": 12}),
        ],
    )
    def test_use_an_index_on_entries(self, name, values):
        add("0 s")
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO audit_entry (actor, action, outcome, details, before_state, after_state, reason,"
                " token_name, request_id) SELECT 'ada', 'restart', 'done', '{}', '', '', '', '', ''"
                " FROM generate_series(1, 20000)"
            )
            cursor.execute("ANALYZE audit_entry")
            cursor.execute(f"EXPLAIN {statements.read_text(name)}", values)
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "Seq Scan on audit_entry" not in plan, plan
