from itertools import groupby

import pytest
from django.contrib.auth.models import Permission, User

from messages_app.access.navigation import menu_entries
from messages_app.dashboard.menu_counts import read_menu_counts
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
    ("Map", "/map/"),
    ("Alerts", "/alerts/"),
    ("Keys", "/keys/"),
    ("Handover", "/handover/"),
    ("Audit log", "/audit/"),
    ("API", "/api/v1/docs/"),
]


def menu_of(user: User) -> list[tuple[str, str]]:
    return [(entry.title, entry.url) for entry in menu_entries(user)]


class TestEntries:
    def test_are_in_the_order_of_the_menu(self):
        assert menu_of(make_user("support")) == OF_SUPPORT

    def test_lead_staff_to_the_admin(self):
        assert menu_of(make_user(is_staff=True)) == [("Hub tables", "/admin/")]
        assert menu_of(make_user("support", username="bob", is_staff=True)) == [
            *OF_SUPPORT,
            ("Hub tables", "/admin/"),
        ]

    def test_include_only_pages_that_the_user_may_open(self):
        assert menu_of(make_user("cp_service")) == []
        auditor = make_user(username="auditor")
        auditor.user_permissions.add(Permission.objects.get(codename="view_auditentry"))
        assert menu_of(User.objects.get(pk=auditor.pk)) == [("Audit log", "/audit/")]

    def test_are_in_four_groups(self):
        groups = groupby(menu_entries(make_user("admin", is_staff=True)), key=lambda entry: entry.group)
        assert [(group, [entry.title for entry in entries]) for group, entries in groups] == [
            ("Operate", ["Overview", "Incidents", "Messages", "Failures", "Funnels", "Jobs", "Archive"]),
            ("Stores", ["Document history", "Message store", "CP queue"]),
            ("Insight", ["Map", "Alerts", "Keys", "Handover"]),
            (
                "Admin",
                [
                    *("Audit log", "Users", "Tokens", "Schedules", "Error codes", "Business keys"),
                    *("Settings and health", "API", "Hub tables"),
                ],
            ),
        ]

    def test_have_different_keys_and_icons(self):
        menu = list(menu_entries(make_user("admin", is_staff=True)))
        assert len({entry.icon for entry in menu}) == len(menu)
        keys = {entry.title: entry.key for entry in menu if entry.key}
        assert len(set(keys.values())) == len(keys)
        assert (keys["Overview"], keys["Jobs"], keys["Archive"]) == ("g h", "g j", "g a")

    def test_count_only_what_has_a_source(self):
        menu = list(menu_entries(make_user("support", is_staff=True)))
        counts = {entry.count for entry in menu if entry.count}
        assert counts == {"incidents", "funnels", "jobs", "in_doubt", "stopped_services"}
        assert all(entry.counted for entry in menu if entry.count)
        assert counts == set(read_menu_counts())
