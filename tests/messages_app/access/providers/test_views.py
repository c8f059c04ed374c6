"""Log-in and log-out through a provider: who gets in, with which roles, and who does not."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from messages_app.audit.models import AuditEntry
from tests.messages_app.access.providers.groups import map_group
from tests.messages_app.access.providers.lying_provider import LyingProvider, make_key
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import text_of

pytestmark = pytest.mark.django_db


def is_logged_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def entries(action: str) -> list[tuple[str, str, dict[str, object]]]:
    rows = AuditEntry.objects.filter(action=action).order_by("entry_id")
    return list(rows.values_list("actor", "outcome", "details"))


class TestLogIn:
    def test_creates_a_user_without_any_right(self, provider: LyingProvider):
        client = Client()
        answer = provider.log_in(
            client, preferred_username="ada", given_name="Ada", email="ada@bank.example", groups=["staff"]
        )
        assert answer.headers["Location"] == "/login/no-role/"
        user = User.objects.get(username="ada")
        assert (user.first_name, user.email, user.has_usable_password()) == ("Ada", "ada@bank.example", False)
        assert list(user.groups.all()) == []
        page = client.get("/login/no-role/")
        assert "You have no role yet" in text_of(page)
        assert '<li class="u-break">staff</li>' in text_of(page)
        assert client.get("/messages/").status_code == 403
        assert entries("log_in") == [("ada", "done", {"provider": "oidc"})]
        assert entries("create_user") == [("ada", "done", {"user": "ada", "provider": "oidc"})]

    def test_gives_the_roles_of_the_groups_and_takes_them_at_the_next_one(self, provider: LyingProvider):
        map_group(provider, "night-shift", "operator")
        map_group(provider, "readers", "view_payload")
        client = Client()
        answer = provider.log_in(client, groups=["night-shift", "readers"])
        assert answer.headers["Location"] == "/"
        user = User.objects.get()
        assert sorted(group.name for group in user.groups.all()) == ["operator", "view_payload"]
        assert client.get("/messages/").status_code == 200
        provider.log_in(Client(), groups=["readers"])
        assert [group.name for group in user.groups.all()] == ["view_payload"]
        # The session that was open before has lost the right, too.
        assert client.get("/messages/").status_code == 403
        details = AuditEntry.objects.filter(action="change_user").order_by("entry_id").values_list("details")
        assert [row[0]["roles"] for row in details] == [
            {"before": [], "after": ["operator", "view_payload"]},
            {"before": ["operator", "view_payload"], "after": ["view_payload"]},
        ]

    def test_takes_a_role_that_a_person_gave(self, provider: LyingProvider):
        provider.log_in(Client())
        User.objects.get().groups.add(make_user("admin", username="grace").groups.get())
        provider.log_in(Client())
        assert not User.objects.exclude(username="grace").get().groups.exists()

    def test_never_leads_to_an_account_by_its_name_or_mail_address(self, provider: LyingProvider):
        make_user("admin", username="ada", email="ada@bank.example")
        client = Client()
        provider.log_in(client, preferred_username="ADA", email="ada@bank.example")
        names = sorted(User.objects.values_list("username", flat=True))
        assert names == ["ADA-oidc", "ada"]
        assert client.get("/messages/").status_code == 403

    def test_knows_a_user_whose_name_has_changed(self, provider: LyingProvider):
        provider.log_in(Client(), preferred_username="ada", family_name="Byron")
        provider.log_in(Client(), preferred_username="lovelace", family_name="Lovelace")
        user = User.objects.get()
        assert (user.username, user.last_name) == ("ada", "Lovelace")

    def test_keeps_two_users_apart_who_have_one_name(self, provider: LyingProvider):
        for number in range(12):
            provider.log_in(Client(), sub=f"s-{number}", preferred_username="ada")
        names = set(User.objects.values_list("username", flat=True))
        assert {"ada", "ada-oidc", "ada-oidc-2", "ada-oidc-11"} <= names
        assert len(names) == 12

    def test_finds_a_name_for_a_user_without_one(self, provider: LyingProvider):
        provider.log_in(Client(), preferred_username="  / ")
        provider.log_in(Client(), sub="s-2", preferred_username="system")
        assert set(User.objects.values_list("username", flat=True)) == {"user", "system-oidc"}

    def test_reads_groups_that_only_the_user_info_has(self, provider: LyingProvider):
        map_group(provider, "night-shift", "support")
        provider.userinfo = {"groups": ["night-shift"], "preferred_username": "ada"}
        provider.log_in(Client())
        assert [group.name for group in User.objects.get(username="ada").groups.all()] == ["support"]

    def test_reads_another_claim_of_groups(self, provider: LyingProvider, settings):
        settings.OIDC_PROVIDERS = {"oidc": provider.declared(groups_claim="teams")}
        map_group(provider, "night-shift", "support")
        provider.log_in(Client(), teams="night-shift", groups=["other"])
        assert [group.name for group in User.objects.get().groups.all()] == ["support"]

    def test_continues_with_the_page_that_was_asked_for(self, provider: LyingProvider):
        map_group(provider, "a", "support")
        client = Client()
        page = client.get("/messages/?state=FAILED", follow=True)
        assert 'href="/login/with/oidc/?next=%2Fmessages%2F%3Fstate%3DFAILED"' in page.text
        answer = provider.log_in(client, "?next=%2Fmessages%2F%3Fstate%3DFAILED", groups=["a"])
        assert answer.headers["Location"] == "/messages/?state=FAILED"

    @pytest.mark.parametrize("page", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
    def test_leads_to_no_other_host(self, provider: LyingProvider, page):
        map_group(provider, "a", "support")
        answer = provider.log_in(Client(), f"?next={page}", groups=["a"])
        assert answer.headers["Location"] == "/"

    def test_counts_as_one_with_a_second_factor_if_the_provider_says_so(self, provider, settings):
        settings.SECOND_FACTOR = "required"
        map_group(provider, "a", "admin")
        strong, weak = Client(), Client()
        provider.log_in(strong, groups=["a"], amr=["pwd", "mfa"])
        assert strong.get("/users/").status_code == 200
        provider.log_in(weak, amr=["pwd"])
        assert weak.get("/users/").headers["Location"] == "/second-factor/"

    def test_takes_a_class_of_log_ins_that_the_settings_call_strong(self, provider, settings):
        settings.SECOND_FACTOR = "required"
        settings.OIDC_PROVIDERS = {"oidc": provider.declared(strong_acr=("gold",))}
        map_group(provider, "a", "admin")
        client = Client()
        provider.log_in(client, groups=["a"], acr="gold")
        assert client.get("/users/").status_code == 200

    def test_is_refused_to_a_deactivated_user(self, provider: LyingProvider):
        provider.log_in(Client())
        User.objects.update(is_active=False)
        client = Client()
        answer = provider.log_in(client)
        assert answer.status_code == 403
        assert "An administrator has deactivated your account in this console." in text_of(answer)
        assert not is_logged_in(client)
        assert entries("log_in")[-1] == (
            "(unknown)",
            "refused",
            {"provider": "oidc", "refusal": "deactivated"},
        )

    def test_is_a_404_with_an_unknown_provider(self, provider: LyingProvider):
        for path in ("/login/with/other/", "/login/with/other/callback/"):
            assert Client().get(path).status_code == 404
        assert Client().post("/login/with/other/log-out/").status_code == 404

    def test_is_still_possible_with_a_local_account(self, provider: LyingProvider):
        make_user("support", username="grace")
        client = Client()
        client.post("/login/", {"username": "grace", "password": PASSWORD})
        assert is_logged_in(client)


LIES = {
    "another issuer": {"iss": "https://evil.example"},
    "another audience": {"aud": "another-client"},
    "another audience that names this client": {"aud": ["another-client"], "azp": "console"},
    "two audiences for another client": {"aud": ["another-client", "console"], "azp": "another-client"},
    "another nonce": {"nonce": "of-another-log-in"},
    "no nonce": {"nonce": None},
    "the past": {"exp": 1_000_000_000, "iat": 999_999_000},
    "no subject": {"sub": None},
    "an endless subject": {"sub": "s" * 256},
    "groups in an object": {"groups": {"a": 1}},
    "groups that are elsewhere": {"_claim_names": {"groups": "src1"}},
}


class TestRefusesLogIn:
    @pytest.mark.parametrize("lie", LIES)
    def test_with_a_token_that_has(self, provider: LyingProvider, lie):
        client = Client()
        answer = provider.log_in(client, **LIES[lie])
        assert answer.status_code == 403
        assert "You are not logged in" in text_of(answer)
        assert not is_logged_in(client)
        assert not User.objects.exists()
        assert [outcome for _, outcome, _ in entries("log_in")] == ["refused"]

    @pytest.mark.parametrize("algorithm", ["none", "HS256"])
    def test_with_a_token_without_a_signature_of_the_provider(self, provider: LyingProvider, algorithm):
        provider.algorithm = algorithm
        client = Client()
        assert provider.log_in(client).status_code == 403
        assert not is_logged_in(client)

    @pytest.mark.parametrize("name", ["first", "unknown"])
    def test_with_a_token_that_another_key_signed(self, provider: LyingProvider, name):
        provider.key = make_key(name)
        client = Client()
        assert provider.log_in(client).status_code == 403
        assert not is_logged_in(client)

    def test_with_the_user_info_of_another_user(self, provider: LyingProvider):
        provider.userinfo = {"sub": "s-2"}
        assert provider.log_in(Client()).status_code == 403

    def test_with_an_answer_to_another_browser(self, provider: LyingProvider):
        asked = provider.begin(Client())
        stranger = Client()
        answer = provider.send_back(stranger, asked)
        assert answer.status_code == 403
        assert "This log-in was not begun in this browser" in text_of(answer)
        assert not is_logged_in(stranger)

    def test_with_an_answer_that_comes_twice(self, provider: LyingProvider):
        client = Client()
        asked = provider.begin(client)
        provider.send_back(client, asked)
        client.post("/logout/")
        assert provider.send_back(client, asked).status_code == 403
        assert not is_logged_in(client)

    @pytest.mark.parametrize("issuer", ["https://evil.example", ""])
    def test_with_an_answer_of_another_provider(self, provider: LyingProvider, issuer):
        client = Client()
        answer = provider.send_back(client, provider.begin(client), iss=issuer)
        assert answer.status_code == 403
        assert "The answer does not come from Bank ID." in text_of(answer)

    def test_with_a_code_of_another_browser(self, provider: LyingProvider):
        client = Client()
        asked = provider.begin(client)
        provider.challenge = "of-another-browser"
        answer = provider.send_back(client, asked)
        assert answer.status_code == 403
        assert "Bank ID refused the log-in: invalid_grant." in text_of(answer)

    def test_if_the_provider_refuses_it(self, provider: LyingProvider):
        client = Client()
        answer = provider.send_back(client, provider.begin(client), code="", error="access_denied")
        assert answer.status_code == 403
        assert "Bank ID did not let you in, or you cancelled." in text_of(answer)

    def test_without_markup_of_the_answer(self, provider: LyingProvider):
        client = Client()
        answer = provider.send_back(client, provider.begin(client), code="", error="<b>x\0")
        assert "Bank ID refused the log-in: &lt;b&gt;x." in text_of(answer)


class TestFaults:
    def test_of_a_provider_that_is_away(self, provider: LyingProvider, settings):
        settings.OIDC_PROVIDERS = {"oidc": provider.declared(issuer="http://127.0.0.1:1")}
        answer = Client().get("/login/with/oidc/?next=/jobs/")
        assert answer.status_code == 503
        assert "Bank ID cannot be reached: no connection." in text_of(answer)
        assert 'href="/login/?next=%2Fjobs%2F"' in answer.text

    def test_of_a_slow_provider_end_after_some_seconds(self, provider: LyingProvider, settings, monkeypatch):
        monkeypatch.setattr("messages_app.access.providers.client.SECONDS_OF_CALL", 0.2)
        settings.OIDC_PROVIDERS = {"oidc": provider.declared(name="Slow ID")}
        provider.seconds = 1
        answer = Client().get("/login/with/oidc/")
        assert answer.status_code == 503
        assert "Slow ID did not answer within 0.2 s." in text_of(answer)

    def test_of_a_provider_that_fails_in_the_middle(self, provider: LyingProvider):
        client = Client()
        asked = provider.begin(client)
        provider.status = 500
        answer = provider.send_back(client, asked)
        assert answer.status_code == 503
        assert "Bank ID cannot be reached: it answered 500." in text_of(answer)
        provider.status = 200
        assert provider.log_in(client).status_code == 302

    def test_of_one_that_calls_itself_differently_end_with_its_correction(self, provider: LyingProvider):
        provider.metadata = {"issuer": "https://evil.example"}
        answer = Client().get("/login/with/oidc/")
        assert answer.status_code == 503
        assert "it calls itself &#x27;https://evil.example&#x27;" in text_of(answer)
        provider.metadata = {}
        provider.begin(Client())

    def test_end_no_open_session(self, provider: LyingProvider):
        map_group(provider, "a", "support")
        client = Client()
        provider.log_in(client, groups=["a"])
        provider.status = 500
        assert client.get("/messages/").status_code == 200

    def test_have_no_part_in_a_change_of_keys(self, provider: LyingProvider):
        provider.log_in(Client())
        provider.key = provider.published = make_key("second")
        client = Client()
        assert provider.log_in(client).status_code == 302
        assert is_logged_in(client)
