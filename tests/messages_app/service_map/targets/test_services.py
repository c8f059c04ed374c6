import pytest

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.core.edit_versions import EditConflict
from messages_app.service_map.participants import Kind, Participant
from messages_app.service_map.targets.models import Profile
from messages_app.service_map.targets.services import (
    ProfileColumns,
    read_profile,
    save_profile,
)
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db
ADA = Actor(username="ada")
BILLING = Participant(Kind.SERVICE, "billing")


def columns(**values: object) -> ProfileColumns:
    empty = {"owner": "", "runbook": "", "within_seconds": None, "within_share": None, "failed_share": None}
    return {**empty, **values}


def save(version: int, **values: object) -> None:
    save_profile(BILLING, version=str(version), columns=columns(**values), actor=ADA, reason="agreed")


class TestSaveProfile:
    def test_stores_and_audits_each_change(self):
        save(0, owner="ada", within_seconds=300, within_share=0.99)
        save(1, owner="bob", failed_share=0.01)
        profile = read_profile(BILLING)
        assert (profile.owner, profile.within_seconds, profile.within_step) == ("bob", None, None)
        assert (profile.failed_share, profile.version) == (0.01, 2)
        entry = AuditEntry.objects.latest("pk")
        assert (entry.action, entry.subject_kind, entry.subject) == ("change_targets", "service", "billing")
        assert (entry.actor, entry.reason) == ("ada", "agreed")
        assert entry.details == {
            "before": columns(owner="ada", within_seconds=300, within_share=0.99),
            "after": columns(owner="bob", failed_share=0.01),
        }

    def test_does_not_overwrite_a_change_that_the_user_has_not_seen(self):
        save(0, owner="ada")
        for version in (0, 2):
            with pytest.raises(EditConflict):
                save(version, owner="eve")
        assert read_profile(BILLING).owner == "ada"
        assert AuditEntry.objects.count() == 1

    def test_keeps_services_and_systems_of_one_name_apart(self):
        save(0, owner="ada")
        assert read_profile(Participant(Kind.SYSTEM, "billing")).owner == ""

    def test_counts_a_time_up_to_the_nearest_step(self):
        save(0, within_seconds=300, within_share=0.5)
        assert read_profile(BILLING).within_step == 32

    @pytest.mark.django_db(transaction=True)
    def test_lets_one_of_several_first_changes_win(self):
        def try_to_save() -> bool:
            try:
                save(0, owner="ada")
            except EditConflict:
                return False
            return True

        assert sorted(in_threads(*[try_to_save] * 4)) == [False, False, False, True]
        assert Profile.objects.get().version == 1
        assert AuditEntry.objects.count() == 1
