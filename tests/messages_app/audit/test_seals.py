import pytest
from django.core.management import CommandError, call_command

from messages_app.audit import seals, verification
from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.audit.services import Actor, record_entry
from tests.messages_app.audit.tampering import behind_its_back

_COPY_AS = (
    "INSERT INTO audit_entry SELECT (jsonb_populate_record(e, jsonb_build_object('entry_id', {}))).*"
    " FROM audit_entry AS e WHERE entry_id = %(last)s"
)
# Changes that the owner of the table can make.
TAMPERING = {
    "a changed field": "UPDATE audit_entry SET reason = 'another' WHERE entry_id = %(second)s",
    "a changed time": "UPDATE audit_entry SET at = at - interval '1 hour' WHERE entry_id = %(second)s",
    "a removed entry": "DELETE FROM audit_entry WHERE entry_id = %(second)s",
    "a moved entry": "UPDATE audit_entry SET entry_id = %(first)s - 1 WHERE entry_id = %(last)s",
    "a forged entry": _COPY_AS.format("%(first)s - 1"),
    "a forged entry in the place of one": "DELETE FROM audit_entry WHERE entry_id = %(second)s;"
    + _COPY_AS.format("%(second)s"),
    "entries that changed places": "UPDATE audit_entry SET entry_id = 1e15 WHERE entry_id = %(first)s;"
    " UPDATE audit_entry SET entry_id = %(first)s WHERE entry_id = %(second)s;"
    " UPDATE audit_entry SET entry_id = %(second)s WHERE entry_id = 1e15",
    "swapped digests": "UPDATE audit_seal AS one SET digest = other.digest FROM audit_seal AS other"
    " WHERE one.seal_id <> other.seal_id",
    "a digest that was made without the key": "UPDATE audit_entry SET actor = 'bob';"
    " UPDATE audit_seal SET digest = encode(sha256((SELECT string_agg(e::text, '') FROM audit_entry AS e)"
    "::bytea), 'hex')",
    "all of it": "DELETE FROM audit_entry; DELETE FROM audit_seal",
    "swapped entries": "UPDATE audit_entry SET actor = CASE entry_id WHEN %(first)s THEN 'bob' ELSE 'ada' END"
    " WHERE entry_id <= %(second)s",
    "a removed tail": "DELETE FROM audit_entry WHERE entry_id = %(last)s;"
    " DELETE FROM audit_seal WHERE last_id = %(last)s",
}


# For each column of an entry, a statement that changes only it. A new column needs a line here.
ANOTHER_VALUE = {
    "entry_id": "entry_id + 1000",
    "at": "at + interval '1 microsecond'",
    "actor": "'bob'",
    "actor_id": "8",
    "token_name": "'another'",
    "address": "'192.0.2.9'",
    "request_id": "'another'",
    "action": "'cancel'",
    "outcome": "'refused'",
    "msg_id": "8",
    "job_id": "8",
    "subject_kind": "'cp_object'",
    "subject": "'another'",
    "before_state": "'OK'",
    "after_state": "'OK'",
    "reason": "'another'",
    "details": '\'{"a": 2.50, "b": 1}\'',
    "transaction_id": "transaction_id + 1",
}
# An entry of an older version under its seal, and the digest that this version gave it.
OLD_ENTRY = """
INSERT INTO audit_entry (entry_id, at, actor, token_name, address, request_id, action, outcome, msg_id,
                         before_state, after_state, reason, details)
VALUES (5, '2026-01-02 03:04:05.000006Z', 'ada', '', '192.0.2.1', 'r', 'restart', 'done', 7, 'FAILED',
        'PROCESSING', 'why', '{"a": 1}')
"""
OLD_SEAL = """
INSERT INTO audit_seal (seal_id, first_id, last_id, entries, sealed_at, digest)
VALUES (1, 1, 5, 1, '2026-01-02 03:06:00Z',
        'cf425f602199b2f70a5b44d8c2b79a72247bb87732cb43e702869add879348c6')
"""
EVERY_COLUMN = sorted(column.name for column in AuditEntry._meta.concrete_fields)


@pytest.fixture
def entries() -> list[int]:
    """Three entries under two seals; their ids."""
    for name in ("ada", "bob", "cy"):
        record_entry(
            actor=Actor(username=name), action="restart", reason="it is back", details={"b": 1, "a": 2.5}
        )
    ids = list(AuditEntry.objects.order_by("pk").values_list("pk", flat=True))
    assert seals.seal_up_to(ids[-1], most=2) == 3
    return ids


@pytest.mark.django_db
class TestFaults:
    @pytest.mark.parametrize("statement", TAMPERING.values(), ids=TAMPERING)
    def test_report_what_was_changed_behind_the_console(self, entries, statement):
        newest = AuditSeal.objects.order_by("-pk").first()
        expected = f"{newest.pk}:{newest.digest}"
        call_command("verify_audit", expect=(newest.pk, newest.digest))

        behind_its_back(statement, dict(zip(("first", "second", "last"), entries, strict=True)))

        with pytest.raises(CommandError, match=r"do not match their seal|is not there"):
            call_command("verify_audit", "--expect", expected)

    def test_report_a_rewrite_with_all_seals_made_again_without_the_key(self, entries, settings):
        key, settings.SECRET_KEY = settings.SECRET_KEY, "what an intruder made up " * 3
        behind_its_back("UPDATE audit_entry SET actor = 'bob'; DELETE FROM audit_seal")
        assert seals.seal_up_to(entries[-1], most=2) == 3
        assert list(verification.find_faults()) == []
        settings.SECRET_KEY = key
        with pytest.raises(CommandError, match="do not match their seal"):
            call_command("verify_audit")

    def test_find_a_removed_tail_only_by_a_seal_that_was_kept_elsewhere(self, entries):
        newest = AuditSeal.objects.order_by("-pk").first()
        behind_its_back(TAMPERING["a removed tail"], {"last": entries[-1]})
        assert list(verification.find_faults()) == []
        assert list(verification.find_faults((newest.pk, newest.digest))) == [
            f"Seal {newest.pk} is not there with this digest: there are 1 seals."
        ]

    def test_report_seals_that_were_made_with_another_key(self, entries, settings):
        settings.SECRET_KEY, old = "another " * 10, settings.SECRET_KEY
        assert len(list(verification.find_faults())) == 2
        settings.SECRET_KEY_FALLBACKS = [old]
        assert list(verification.find_faults()) == []


@pytest.mark.django_db
class TestDigest:
    @pytest.mark.parametrize("is_empty", [False, True], ids=["another value", "no value"])
    @pytest.mark.parametrize("column", EVERY_COLUMN)
    def test_covers_every_column_of_an_entry(self, column, is_empty):
        values = {"msg_id": 7, "job_id": 7, "subject_kind": "queue", "subject": "a"}
        states = {"before_state": "FAILED", "after_state": "PROCESSING", "details": {"b": 1, "a": 2.5}}
        ada = Actor(username="ada", user_id=7, token_name="t", address="192.0.2.1", request_id="r")
        entry = record_entry(actor=ada, action="restart", reason="it is back", **values, **states)
        seals.seal_up_to(entry.pk)
        assert list(verification.find_faults()) == []
        is_nullable = AuditEntry._meta.get_field(column).null
        value = "NULL" if is_empty and is_nullable else ANOTHER_VALUE[column]

        behind_its_back(f"UPDATE audit_entry SET {column} = {value}")

        assert any("do not match their seal" in fault for fault in verification.find_faults())

    def test_covers_the_network_of_an_address(self, entries):
        behind_its_back("UPDATE audit_entry SET address = '192.0.2.1'; DELETE FROM audit_seal")
        seals.seal_up_to(entries[-1])
        behind_its_back("UPDATE audit_entry SET address = '192.0.2.1/24'")
        assert len(list(verification.find_faults())) == 1

    def test_is_for_old_entries_what_it_was_before_they_had_more_columns(self, settings):
        settings.SECRET_KEY = "a key of an older version " * 3
        behind_its_back(OLD_ENTRY)
        behind_its_back(OLD_SEAL)
        assert list(verification.find_faults()) == []
        for column in ("actor_id", "transaction_id"):
            behind_its_back(f"UPDATE audit_entry SET {column} = 7")
            assert len(list(verification.find_faults())) == 1
            behind_its_back(f"UPDATE audit_entry SET {column} = NULL")
