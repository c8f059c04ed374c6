"""
Access to every page: without a role, with the lowest role that may open it, and with the role of a service.
"""

import pytest

from messages_app.access.models import RequestWindow
from messages_app.audit.models import AuditEntry
from tests.support.page_client import client_of, text_of
from tests.support.parameters import quick_first
from tests.support.routes import page_addresses

pytestmark = pytest.mark.django_db

# Pages for any logged-in user: login, logout, the manual, and the user's own pages.
OF_EVERYBODY = {
    "login/no-role/",
    "login/with/777/",
    "login/with/777/callback/",
    "api-docs/description/",
    "docs/",
    "docs/777",
    "docs/search/",
    "login/",
    "login/code/",
    "logout/",
    "me/",
    "me/pin/",
    "me/unpin/",
    "first-minutes/",
    "password/",
    "second-factor/",
    "second-factor/start/",
    "second-factor/confirm/",
    "second-factor/change/",
    "second-factor/passkeys/new/",
    "second-factor/passkeys/add/",
    "login/passkey/",
    # For users who may view payloads, whatever else they may do. Anyone may mask again.
    "reveal/",
    "reveal/end/",
    "sessions/",
    "sessions/left/",
    "sessions/end-others/",
    "sessions/777/end/",
    # The user's own tokens, and the link by which a user sets a password.
    "tokens/",
    "tokens/777/revoke/",
    "set-password/777/777/",
}
# POSTs that `support` may send: its own views, columns and guide, and the export of a list.
OF_SUPPORT = {
    "dashboard/guide/",
    "handover/send/",  # what support may read
    "messages/export/",
    "messages/table/",
    "messages/views/",
    "messages/views/777/",
}


class TestRequires:
    # test_roles_pages.py opens every page without a role.
    @pytest.mark.parametrize("roles", quick_first([["cp_service", "view_payload"], []]))
    def test_opens_nothing_to_users_who_have_no_role_for_it(self, roles):
        client = client_of(*roles)
        answers = {address: client.get(f"/{address}").status_code for address in page_addresses()}
        assert len(answers) > 120
        assert {status for address, status in answers.items() if address not in OF_EVERYBODY} == {403, 405}

    @pytest.mark.parametrize(
        ("path", "permission"),
        [
            ("/jobs/", "view_job (role support, operator or admin)"),
            ("/messages/5/cancel/", "view_message (role support, operator or admin)"),
            ("/cp-queue/", "view_cpmessage (role support, operator or admin)"),
        ],
    )
    def test_names_the_permission_and_the_roles_that_have_it(self, path, permission):
        response = client_of().get(path)
        assert response.status_code == 403
        assert f"You need the permission {permission}. Ask an administrator." in text_of(response)

    @pytest.mark.parametrize(
        ("path", "permission"),
        [
            ("/messages/5/cancel/", "cancel_message (role operator or admin)"),
            ("/jobs/new/?kind=archive", "archive_messages (role admin)"),
            ("/jobs/new/?kind=restart&state=FAILED", "restart_message (role operator or admin)"),
            ("/messages/5/payload/download/", "view_payload"),
            ("/watch-rules/new/", "change_watchrule (role admin)"),
            ("/schedules/new/", "archive_messages (role admin)"),
        ],
    )
    def test_names_what_support_lacks(self, path, permission):
        response = client_of("support").get(path)
        assert response.status_code == 403
        assert f"You need the permission {permission}. Ask an administrator." in text_of(response)

    def test_returns_from_the_login_to_the_page_with_the_form(self, client):
        page = {"Referer": "http://testserver/messages/5/?a=b"}
        sent = client.post("/messages/5/cancel/", headers=page)
        assert (sent.status_code, sent.url) == (302, "/login/?next=/messages/5/%3Fa%3Db")
        assert client.post("/messages/5/cancel/").url == "/login/?next=/messages/5/cancel/"
        assert client.get("/jobs/?kind=restart", headers=page).url == "/login/?next=/jobs/%3Fkind%3Drestart"

    def test_explains_who_can_open_the_administration(self):
        response = client_of("admin").get("/admin/", follow=True)
        assert response.status_code == 403
        assert "Only administrators (staff accounts) can open the administration." in text_of(response)

    def test_records_one_refused_page_a_minute(self):
        client, grace = client_of(), client_of(username="grace")
        statuses = [client.get(path).status_code for path in ("/jobs/", "/audit/", "/jobs/")]
        statuses.append(grace.head("/funnels/").status_code)
        RequestWindow.objects.update(began_at="2026-01-01T00:00:00Z")
        statuses.append(client.get("/audit/").status_code)

        assert statuses == [403] * 5
        kept = AuditEntry.objects.order_by("entry_id").values_list("actor", "details__path")
        assert list(kept) == [
            ("ada", "/jobs/"),
            ("grace", "/funnels/"),
            ("ada", "/audit/"),
        ]

    def test_records_each_refused_change(self):
        client = client_of()
        sent = [address for address in page_addresses() if address not in OF_EVERYBODY]
        refused = [address for address in sent if client.post(f"/{address}").status_code == 403]
        entries = AuditEntry.objects.order_by("entry_id")
        assert len(refused) > 50
        assert [entry.details["path"] for entry in entries] == [f"/{address}" for address in refused]
        assert set(entries.values_list("actor", "action", "outcome")) == {("ada", "open_page", "refused")}

    def test_lets_support_change_nothing(self):
        client, sent = client_of("support"), set(page_addresses()) - OF_EVERYBODY
        answers = {address: client.post(f"/{address}", {"reason": "r"}).status_code for address in sent}
        assert {address for address, status in answers.items() if status < 400} <= OF_SUPPORT
        assert not AuditEntry.objects.filter(outcome="done")
