"""Owners of a job who lost the permission for it. Source: docs/contributing/spec/promises.md, S-28, S-30."""

import pytest
from django.contrib.auth.models import User

from messages_app.audit.services import SYSTEM
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import why_not_allowed
from tests.messages_app.jobs.stored_jobs import NO_RESTART, make_job, make_restart
from tests.support.factories import make_user


@pytest.mark.django_db
class TestWhyNotAllowed:
    def test_is_nothing_for_users_who_may_make_such_a_job(self):
        make_user("operator")
        assert why_not_allowed(make_restart()) == ""

    def test_names_the_user_and_the_right_that_is_missing(self):
        make_user("support")
        assert why_not_allowed(make_restart()) == NO_RESTART

    @pytest.mark.parametrize(
        ("kind", "role", "other"),
        [
            ("archive", "admin", "operator"),
            ("restore", "admin", "operator"),
            ("archive_history", "admin", "operator"),
            ("cancel", "operator", "support"),
            ("reprocess", "operator", "support"),
            ("group_failures", "operator", "support"),
            ("index_keys", "admin", "operator"),
            ("export", "support", "cp_service"),
        ],
    )
    def test_requires_the_same_permissions_as_making_one(self, kind, role, other):
        ada, eve = make_user(role), make_user(other, username="eve")
        assert why_not_allowed(Job(kind=kind, created_by="ada", creator_id=ada.pk)) == ""
        refused = why_not_allowed(Job(kind=kind, created_by="eve", creator_id=eve.pk))
        assert "no longer has the permission" in refused

    def test_also_requires_payloads_if_an_export_writes_them(self):
        make_user("support")
        make_user("support", "view_payload", username="eve")
        export = {"kind": "export", "options": {"payload": True}}
        why = "Its creator ada no longer has the permission messages_app.view_payload."
        assert why_not_allowed(make_job(**export)) == why
        assert why_not_allowed(make_job(**export, created_by="eve")) == ""

    def test_also_requires_payloads_if_they_are_searched(self):
        make_user("operator")
        filter = {"payload_contains": "<iban>"}
        assert "permission messages_app.view_payload" in why_not_allowed(make_restart(filter=filter))
        assert why_not_allowed(make_restart(filter=filter, retry_of=7)) == ""  # its set comes from that job

    @pytest.mark.parametrize("is_superuser", [False, True])
    def test_refuses_a_disabled_user(self, is_superuser):
        make_user("operator", is_active=False, is_superuser=is_superuser)
        assert why_not_allowed(make_restart()) == "Its creator ada is disabled."

    def test_refuses_a_user_who_no_longer_exists(self):
        make_user("operator").delete()
        assert why_not_allowed(make_restart()) == "Its creator ada is no longer a user."

    def test_refuses_a_removed_user_although_another_has_the_name_now(self):
        ada = make_user("operator")
        job = make_restart()
        ada.delete()
        make_user("operator")
        assert why_not_allowed(job) == "Its creator ada is no longer a user."

    def test_asks_the_user_who_made_the_job_whatever_their_name_is_now(self):
        ada = make_user("operator")
        job = make_restart()
        User.objects.filter(pk=ada.pk).update(username="ada-lovelace")
        make_user("support")
        assert why_not_allowed(job) == ""

    def test_allows_a_superuser(self):
        make_user(is_superuser=True)
        assert why_not_allowed(make_restart()) == ""

    @pytest.mark.parametrize("name", ["command line (root)", "schedule 3 (ada)", SYSTEM.username])
    def test_checks_nothing_if_no_user_made_the_job(self, name):
        make_user()
        assert why_not_allowed(make_restart(created_by=name)) == ""

    def test_is_cheap(self, django_assert_max_num_queries):
        make_user("support", "view_payload")
        job = make_job(kind="export", options={"payload": True})
        with django_assert_max_num_queries(3):  # the user, their own permissions, and those of their groups
            assert why_not_allowed(job) == ""
