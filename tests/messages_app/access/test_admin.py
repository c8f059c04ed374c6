import pytest
from django.contrib import admin
from django.test import Client

from messages_app.access.models import ApiToken
from messages_app.access.services import create_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from messages_app.models import ArchiveMessage, ExternalCall, Job, Message, Request
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def superuser() -> Client:
    client = Client()
    client.force_login(make_user(is_staff=True, is_superuser=True, username="root"))
    return client


class TestAdmin:
    def test_opens_every_list_and_form_that_it_offers(self, superuser):
        for model in admin.site._registry:
            address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
            assert superuser.get(address).status_code == 200, address

    def test_has_no_table_of_the_hub(self):
        hub_tables = {Message, ArchiveMessage, ExternalCall, Request, Job, AuditEntry}
        assert not hub_tables & set(admin.site._registry)

    def test_is_for_staff_only(self, client):
        assert client.get("/admin/").status_code == 302
        client.force_login(make_user("admin"))
        response = client.get("/admin/", follow=True)
        assert response.status_code == 403

    def test_shows_the_consoles_own_log_in_page(self, client):
        page = client.get("/admin/login/").content.decode()
        assert 'id="id_username"' in page
        assert "x-data" not in page

    def test_offers_the_consoles_pages_in_its_menu(self, superuser):
        page = superuser.get("/admin/").content.decode()
        for address in ("/messages/", "/jobs/", "/archive/", "/audit/", "/api/v1/docs/"):
            assert f'href="{address}"' in page


class TestApiTokenAdmin:
    def test_revokes_and_says_who(self, superuser):
        token, _ = create_token(user=make_user("operator"), name="nightly", actor=SYSTEM)
        superuser.post("/admin/messages_app/apitoken/", {"action": "revoke", "_selected_action": [token.pk]})
        token.refresh_from_db()
        assert token.revoked_at is not None
        assert AuditEntry.objects.get(action="revoke_token").actor == "root"

    @pytest.mark.parametrize("path", ["add/", "{pk}/delete/"])
    def test_neither_makes_nor_deletes_tokens(self, superuser, path):
        token, _ = create_token(user=make_user("operator"), name="nightly", actor=SYSTEM)
        address = f"/admin/messages_app/apitoken/{path.format(pk=token.pk)}"
        assert superuser.post(address, {"post": "yes"}).status_code == 403
        assert ApiToken.objects.filter(pk=token.pk).exists()

    def test_shows_no_key(self, superuser):
        token, key = create_token(user=make_user("operator"), name="nightly", actor=SYSTEM)
        page = superuser.get(f"/admin/messages_app/apitoken/{token.pk}/change/").content.decode()
        assert key not in page
        assert token.key_sha256 not in page
