import pytest
from django.contrib.auth.models import Permission, User

from messages_app.access.navigation import menu_entries
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

OF_SUPPORT = [
    ("Overview", "/"),
    ("Incidents", "/incidents/"),
    ("Messages", "/messages/"),
    ("Failures", "/failures/"),
    ("Funnels", "/funnels/"),
    ("Jobs", "/jobs/"),
    ("Archive", "/archive/"),
    ("Document history", "/document-history/"),
    ("Message store", "/message-store/"),
    ("CP queue", "/cp-queue/"),
    ("Keys", "/keys/"),
    ("Audit log", "/audit/"),
    ("API", "/api/v1/docs/"),
]


def menu_of(user: User) -> list[tuple[str, str]]:
    return [(entry.title, entry.url) for entry in menu_entries(user)]


class TestEntries:
    def test_are_in_the_order_of_the_menu(self):
        assert menu_of(make_user("support")) == OF_SUPPORT

    def test_lead_staff_to_the_admin(self):
        assert menu_of(make_user(is_staff=True)) == [("Admin", "/admin/")]
        assert menu_of(make_user("support", username="bob", is_staff=True)) == [
            *OF_SUPPORT,
            ("Admin", "/admin/"),
        ]

    def test_include_only_pages_that_the_user_may_open(self):
        assert menu_of(make_user("cp_service")) == []
        auditor = make_user(username="auditor")
        auditor.user_permissions.add(Permission.objects.get(codename="view_auditentry"))
        assert menu_of(User.objects.get(pk=auditor.pk)) == [("Audit log", "/audit/")]

    def test_have_different_keys_and_icons_and_one_begins_a_group(self):
        menu = list(menu_entries(make_user("support", is_staff=True)))
        assert [entry.title for entry in menu if entry.starts_group] == ["API"]
        assert len({entry.icon for entry in menu}) == len(menu)
        keys = [entry.key for entry in menu if entry.key]
        assert len(set(keys)) == len(keys)
        assert {
            entry.title: entry.key for entry in menu if entry.title in {"Overview", "Jobs", "Archive"}
        } == {
            "Overview": "g h",
            "Jobs": "g j",
            "Archive": "g a",
        }
