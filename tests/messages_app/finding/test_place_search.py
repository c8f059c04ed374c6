"""Pages, kinds of jobs, views, jobs and users are found by words, within the permissions of the user."""

import pytest
from django.contrib.auth.models import User

from messages_app.finding import place_search
from messages_app.finding.place_search import (
    find_jobs,
    find_new_jobs,
    find_pages,
    find_users,
    find_views,
    has_words,
)
from messages_app.jobs.models import Job
from messages_app.messages.listing.models import SavedView
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def user_with(*roles: str) -> User:
    return make_user(*roles, username=f"user-{User.objects.count()}")


def names(kinds: object) -> list[str]:
    return [hit.name for kind in kinds for hit in kind.hits]  # type: ignore[attr-defined]


class TestHasWords:
    @pytest.mark.parametrize(
        ("title", "text", "expected"),
        [
            ("Handover: what happened", "hand", True),
            ("Handover: what happened", "WHAT hand", True),
            ("Handover: what happened", "over", False),
            ("Handover: what happened", "hand none", False),
            ("Audit log", "log", True),
        ],
    )
    def test_compares_the_beginnings_of_words(self, title, text, expected):
        assert has_words(title, text) is expected


class TestFindPages:
    def test_finds_entries_of_the_menu_and_other_pages(self):
        support = user_with("support")
        (kind,) = find_pages("hand", support)
        assert [(hit.name, hit.url) for hit in kind.hits] == [("Handover", "/handover/")]
        assert names(find_pages("audit", support)) == ["Audit log"]
        assert names(find_pages("deploy", support)) == ["Deployments"]

    def test_leaves_out_what_the_user_may_not_open(self):
        assert names(find_pages("webhooks", user_with("admin"))) == ["Webhooks"]
        assert names(find_pages("webhooks", user_with("support"))) == []
        assert names(find_pages("definitions", user_with("admin"))) == ["Definitions of business keys"]
        assert names(find_pages("definitions", user_with("support"))) == []
        assert names(find_pages("audit", user_with())) == []


class TestFindNewJobs:
    def test_offers_the_kinds_that_the_user_may_start(self):
        (kind,) = find_new_jobs("restart", user_with("operator"))
        assert [(hit.name, hit.url) for hit in kind.hits] == [("Restart", "/jobs/new/?kind=restart")]
        assert names(find_new_jobs("restart", user_with("support"))) == []
        assert names(find_new_jobs("archive", user_with("operator"))) == []


class TestFindViews:
    def test_finds_own_shared_and_built_in_views(self):
        own, other = user_with("support"), user_with("operator")
        SavedView.objects.create(owner=own, name="Bank night", query="state=FAILED")
        SavedView.objects.create(owner=other, name="Bank of others", query="state=OK", shared=True)
        SavedView.objects.create(owner=other, name="Bank secret", query="state=OK")
        (kind,) = find_views("bank", own)
        assert [(hit.name, hit.url, hit.about) for hit in kind.hits] == [
            ("Bank night", "/messages/?state=FAILED", "yours"),
            ("Bank of others", "/messages/?state=OK", "shared"),
        ]
        assert names(find_views("failing", own)) == ["Failing now"]


class TestFindJobs:
    def test_finds_a_job_by_number_title_and_reason(self, monkeypatch):
        support = user_with("support")
        first = Job.objects.create(kind="restart", reason="bank was down", created_by="ada", state="done")
        second = Job.objects.create(kind="archive", reason="cleanup", created_by="ada", state="done")
        title = f"Job {first.pk}: Restart"
        assert names(find_jobs(str(first.pk), support)) == [title]
        assert names(find_jobs(f"job {first.pk}", support)) == [title]
        assert names(find_jobs("bank", support)) == [title]
        assert names(find_jobs("archive clean", support)) == [f"Job {second.pk}: Archive"]
        (kind,) = find_jobs("bank", support)
        assert kind.hits[0].about == "done · ada · bank was down"
        monkeypatch.setattr(place_search, "MAX_SEARCHED_JOBS", 1)
        assert names(find_jobs("bank", support)) == []

    def test_is_not_for_everyone(self):
        job = Job.objects.create(kind="restart", reason="bank", created_by="ada", state="done")
        assert names(find_jobs(str(job.pk), user_with())) == []


class TestFindUsers:
    def test_finds_accounts_for_users_who_manage_them(self):
        admin = User.objects.create_superuser("ada")
        support = make_user("support", username="grace")
        (kind,) = find_users("RAC", admin)
        assert [(hit.name, hit.url, hit.about) for hit in kind.hits] == [
            ("grace", f"/users/{support.pk}/", "active")
        ]
        assert names(find_users("rac", support)) == []
