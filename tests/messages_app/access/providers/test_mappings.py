"""Roles of groups: the page, who may change them, and the entry in the audit log."""

import pytest
from django.test import Client

from messages_app.access.providers.models import GroupMapping
from messages_app.audit.models import AuditEntry
from tests.messages_app.access.providers.groups import map_group
from tests.messages_app.access.providers.lying_provider import LyingProvider
from tests.support.factories import make_user
from tests.support.page_client import client_of, confirm_password, text_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

PAGE = "/users/groups/"


def admin_client() -> Client:
    client = client_of("admin")
    confirm_password(client)
    return client


def send(client: Client, **values: str):
    return client.post(PAGE, {"provider": "oidc", "group_name": "night-shift", "role": "operator"} | values)


class TestPage:
    def test_gives_a_role_to_a_group(self, provider: LyingProvider):
        client = admin_client()
        answer = send(client, reason="pilot")
        assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
        mapping = GroupMapping.objects.get()
        assert (mapping.issuer, mapping.group_name, mapping.role.name) == (
            provider.issuer,
            "night-shift",
            "operator",
        )
        entry = AuditEntry.objects.get(action="map_group")
        assert (entry.actor, entry.reason, entry.subject) == ("ada", "pilot", str(mapping.pk))
        assert entry.details == {"group": "night-shift", "role": "operator"}
        text = text_of(client.get(PAGE))
        assert "night-shift" in text
        assert "Operator" in text

    def test_counts_the_users_of_a_group_and_completes_groups_without_a_role(self, provider: LyingProvider):
        map_group(provider, "night-shift", "support")
        for subject in ("s-1", "s-2"):
            provider.log_in(Client(), sub=subject, groups=["night-shift", "day-shift"])
        text = text_of(admin_client().get(PAGE))
        assert '<option value="day-shift">' in text
        assert '<option value="night-shift">' not in text
        assert 'data-label="Users">2</td>' in text

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({"group_name": ""}, "Enter the name of a group, as the provider sends it."),
            ({"group_name": "g" * 256}, "at most 255 characters"),
            ({"group_name": "a\0"}, "Null characters are not allowed."),
            ({"role": "superuser"}, "There is no role superuser that you can give."),
            ({"provider": "other"}, "There is no provider other."),
            ({"reason": ""}, "Enter a reason."),
        ],
        ids=str,
    )
    def test_refuses(self, provider: LyingProvider, values, words):
        answer = send(admin_client(), **{"reason": "pilot"} | values)
        assert answer.status_code == 400
        assert words in text_of(answer)
        assert not GroupMapping.objects.exists()

    def test_refuses_a_role_that_the_group_has(self, provider: LyingProvider):
        map_group(provider, "night-shift", "operator")
        answer = send(admin_client(), reason="pilot")
        assert answer.status_code == 409
        assert "The group has this role already." in text_of(answer)

    def test_gives_no_role_with_more_than_the_administrator_has(self, provider: LyingProvider):
        answer = send(admin_client(), role="view_payload", reason="pilot")
        assert answer.status_code == 400
        assert "There is no role view_payload that you can give." in text_of(answer)

    def test_asks_for_the_password_first(self, provider: LyingProvider):
        assert send(client_of("admin"), reason="pilot").status_code == 403
        assert not GroupMapping.objects.exists()

    def test_needs_the_right_to_manage_users(self, provider: LyingProvider):
        client = client_of("operator")
        assert client.get(PAGE).status_code == 403
        assert send(client, reason="pilot").status_code == 403

    def test_is_a_404_without_a_provider(self):
        assert admin_client().get(PAGE).status_code == 404

    @pytest.mark.django_db(transaction=True)
    def test_gives_a_role_once_to_two_administrators(self, provider: LyingProvider):
        clients = [client_of("admin", username=name) for name in ("ada", "grace")]
        for client in clients:
            confirm_password(client)
        ada, grace = clients
        answers = in_threads(
            lambda: send(ada, reason="both").status_code, lambda: send(grace, reason="both").status_code
        )
        assert sorted(answers) == [302, 409]
        assert GroupMapping.objects.count() == AuditEntry.objects.filter(action="map_group").count() == 1


class TestRemoval:
    def test_asks_for_a_reason_and_takes_the_role(self, provider: LyingProvider):
        mapping = map_group(provider, "night-shift", "operator")
        client = admin_client()
        path = f"{PAGE}{mapping.pk}/remove/"
        assert "Remove Operator of night-shift" in text_of(client.get(path))
        assert client.post(path, {"reason": ""}).status_code == 400
        assert client.post(path, {"reason": "ended"}).status_code == 302
        assert not GroupMapping.objects.exists()
        entry = AuditEntry.objects.get(action="unmap_group")
        assert (entry.reason, entry.details) == ("ended", {"group": "night-shift", "role": "operator"})
        assert client.post(path, {"reason": "ended"}).status_code == 404

    def test_of_a_role_with_more_than_the_administrator_has_is_refused(self, provider: LyingProvider):
        mapping = map_group(provider, "readers", "view_payload")
        answer = admin_client().post(f"{PAGE}{mapping.pk}/remove/", {"reason": "ended"})
        assert answer.status_code == 409
        assert GroupMapping.objects.exists()


class TestUsers:
    def test_of_a_provider_have_no_password_and_no_roles_to_choose(self, provider: LyingProvider):
        map_group(provider, "night-shift", "support")
        provider.log_in(Client(), preferred_username="linus", groups=["night-shift"])
        client = admin_client()
        assert "Bank ID" in text_of(client.get("/users/"))
        user_id = client.get("/users/").text.split('href="/users/')[-1].split("/")[0]
        page = client.get(f"/users/{user_id}/")
        text = text_of(page)
        assert "Support. They come from" in text
        assert 'value="support"' not in text
        assert "Reset password" not in text
        assert 'name="first_name" maxlength="150" autocomplete="off" disabled' in text

    def test_of_a_provider_get_no_role_on_their_page(self, provider: LyingProvider):
        provider.log_in(Client(), preferred_username="linus")
        client = admin_client()
        make_user("admin", username="grace")
        user_id = client.get("/users/?q=linus").text.split('href="/users/')[-1].split("/")[0]
        page = client.get(f"/users/{user_id}/")
        version = page.text.split('name="version" value="')[1].split('"')[0]
        values = {"username": "linus", "version": version, "reason": "on the page", "grants": ["operator"]}
        answer = client.post(f"/users/{user_id}/", values)
        assert answer.status_code == 400
        assert "There is no role operator." in text_of(answer)
