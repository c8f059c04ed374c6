"""Every change of users: its effect, its limits and its entry in the audit log."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client

from messages_app.access.models import ApiToken, UserSession
from messages_app.access.second_factor.devices import device_of
from messages_app.access.token_services import create_token
from messages_app.access.users import services
from messages_app.access.users.grants import grants_of
from messages_app.access.users.services import ChangeRefused, Ended, UserNotFound
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from messages_app.core.edit_versions import EditConflict
from tests.messages_app.access.second_factor.factors import enrol
from tests.messages_app.access.sessions.test_store import is_in
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.factories import PASSWORD, make_user
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

LINUS = {"username": "linus", "first_name": "Linus", "last_name": "T", "email": "linus@hub.example"}
DECISIONS: tuple[Callable[..., object], ...] = (
    services.deactivate_user,
    services.reactivate_user,
    services.reset_password,
    services.reset_second_factor,
    services.end_sessions,
)


@pytest.fixture
def manager() -> User:
    return make_user("admin", username="grace")


@pytest.fixture
def ada() -> User:
    return make_user("support", first_name="Ada", email="ada@hub.example")


def log_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def decide(act: Callable[..., object], user: User, manager: User) -> object:
    return act(user_id=user.pk, manager_id=manager.pk, actor=GRACE, reason="a ticket")


def change(user: User, manager: User, **changes: object) -> None:
    columns = ("username", "first_name", "last_name", "email")
    values = {name: getattr(user, name) for name in columns}
    held = {"grants": grants_of(user), "version": services.read_version(user)}
    services.change_user(
        user_id=user.pk, manager_id=manager.pk, actor=GRACE, reason="a ticket", **values | held | changes
    )


def entry_of(user: User, action: str, **details: object) -> dict[str, object]:
    return by_grace(
        action,
        subject_kind="user",
        subject=str(user.pk),
        reason="a ticket",
        details={"user": user.get_username(), **details},
    )


class TestCreateUser:
    def test_stores_each_value_and_no_usable_password(self, manager):
        made = services.create_user(
            manager_id=manager.pk, actor=GRACE, grants=["operator"], reason="a ticket", **LINUS
        )
        linus = User.objects.get(username="linus")
        assert made.pk == linus.pk
        assert {name: getattr(linus, name) for name in LINUS} == LINUS
        assert (linus.is_active, linus.is_staff, linus.is_superuser) == (True, False, False)
        assert not linus.has_usable_password()
        assert grants_of(linus) == ["operator"]
        assert audit_rows() == [entry_of(linus, "create_user", roles=["operator"])]

    @pytest.mark.parametrize("name", ["ada", "ADA"])
    def test_refuses_a_name_that_is_taken_in_any_case(self, manager, ada, name):
        with pytest.raises(ChangeRefused, match="already exists") as refused:
            services.create_user(
                manager_id=manager.pk, actor=GRACE, grants=[], reason="r", **LINUS | {"username": name}
            )
        assert refused.value.field == "username"
        assert not AuditEntry.objects.exists()

    def test_refuses_an_unknown_role(self, manager):
        with pytest.raises(ChangeRefused, match="There is no role 'king'") as refused:
            services.create_user(manager_id=manager.pk, actor=GRACE, grants=["king"], reason="r", **LINUS)
        assert refused.value.field == "grants"
        assert not User.objects.filter(username="linus").exists()


class TestChangeUser:
    def test_changes_names_and_roles_with_an_entry_without_the_new_names(self, manager, ada):
        change(ada, manager, first_name="Augusta", email="", grants=["operator", "deployment_pipeline"])
        changed = User.objects.get(pk=ada.pk)
        assert (changed.first_name, changed.email) == ("Augusta", "")
        assert grants_of(changed) == ["deployment_pipeline", "operator"]
        roles = {"before": ["support"], "after": ["deployment_pipeline", "operator"]}
        assert audit_rows() == [entry_of(ada, "change_user", changed=["email", "first_name"], roles=roles)]

    def test_keeps_other_roles_permissions_and_users(self, ada):
        root, other = make_user(username="root", is_superuser=True), make_user("support", username="other")
        for user in (ada, other):
            user.user_permissions.add(Permission.objects.get(codename="view_payload"))
        change(ada, root, grants=["support", "operator", "is_staff", "permission view_payload"])
        assert grants_of(User.objects.get(pk=ada.pk)) == sorted(
            ["support", "operator", "is_staff", "permission view_payload"]
        )
        change(User.objects.get(pk=ada.pk), root, grants=["is_superuser"])
        assert grants_of(User.objects.get(pk=ada.pk)) == ["is_superuser"]
        assert grants_of(other) == ["permission view_payload", "support"]

    def test_refuses_a_page_that_is_out_of_date(self, manager, ada):
        with pytest.raises(EditConflict):
            change(ada, manager, version="", grants=["support", "operator"])
        assert grants_of(ada) == ["support"]


class TestDeactivateUser:
    def test_ends_only_the_sessions_and_tokens_of_the_user(self, manager, ada):
        clients = [log_in(ada), log_in(ada), log_in(manager)]
        tokens = [create_token(user=user, name="n", actor=SYSTEM)[0] for user in (ada, ada, manager)]
        assert decide(services.deactivate_user, ada, manager) == Ended(sessions=2, tokens=2)
        assert [is_in(client) for client in clients] == [False, False, True]
        for token in tokens:
            token.refresh_from_db()
        assert [token.revoked_at is None for token in tokens] == [False, False, True]
        assert not User.objects.get(pk=ada.pk).is_active
        assert audit_rows("deactivate_user") == [entry_of(ada, "deactivate_user", sessions=2, tokens=2)]

    def test_does_it_once(self, manager, ada):
        decide(services.deactivate_user, ada, manager)
        with pytest.raises(ChangeRefused, match="already deactivated"):
            decide(services.deactivate_user, ada, manager)
        assert len(audit_rows("deactivate_user")) == 1

    @pytest.mark.django_db(transaction=True)
    def test_keeps_an_administrator_if_two_deactivate_each_other(self):
        names = ("one", "two")
        one, two = (make_user("admin", username=name) for name in names)
        answers = in_threads(
            lambda: decide(services.deactivate_user, two, one),
            lambda: decide(services.deactivate_user, one, two),
        )
        assert sorted(type(answer) for answer in answers if isinstance(answer, Exception)) == [ChangeRefused]
        assert User.objects.filter(is_active=True).count() == 1


class TestReactivateUser:
    def test_lets_the_user_log_in_again_without_the_old_tokens(self, manager, ada):
        token, _ = create_token(user=ada, name="n", actor=SYSTEM)
        decide(services.deactivate_user, ada, manager)
        decide(services.reactivate_user, ada, manager)
        assert Client().login(username="ada", password=PASSWORD)
        assert ApiToken.objects.get(pk=token.pk).revoked_at is not None
        assert audit_rows("reactivate_user") == [entry_of(ada, "reactivate_user")]

    def test_refuses_an_active_user(self, manager, ada):
        with pytest.raises(ChangeRefused, match="This user is active"):
            decide(services.reactivate_user, ada, manager)
        assert audit_rows() == []


class TestResetPassword:
    def test_takes_the_password_and_the_sessions_away(self, manager, ada):
        client, other = log_in(ada), log_in(manager)
        user = decide(services.reset_password, ada, manager)
        stored = User.objects.get(pk=ada.pk)
        assert user.password == stored.password
        assert not stored.has_usable_password()
        assert (is_in(client), is_in(other)) == (False, True)
        assert audit_rows() == [entry_of(ada, "reset_password", sessions=1)]

    def test_refuses_a_deactivated_user(self, manager, ada):
        User.objects.filter(pk=ada.pk).update(is_active=False)
        with pytest.raises(ChangeRefused, match="Activate the user first"):
            decide(services.reset_password, ada, manager)
        assert User.objects.get(pk=ada.pk).has_usable_password()


class TestResetSecondFactor:
    def test_removes_it_and_ends_the_sessions(self, manager, ada):
        enrol(ada)
        client = log_in(ada)
        assert decide(services.reset_second_factor, ada, manager) == Ended(sessions=1)
        assert device_of(ada) is None
        assert not is_in(client)
        assert audit_rows("remove_second_factor") == [entry_of(ada, "remove_second_factor")]

    def test_refuses_a_user_without_one_and_keeps_the_sessions(self, manager, ada):
        client = log_in(ada)
        with pytest.raises(ChangeRefused, match="no second factor"):
            decide(services.reset_second_factor, ada, manager)
        assert is_in(client)


class TestEndSessions:
    def test_ends_only_those_of_the_user(self, manager, ada):
        clients = [log_in(ada), log_in(manager)]
        assert decide(services.end_sessions, ada, manager) == Ended(sessions=1)
        assert [is_in(client) for client in clients] == [False, True]
        assert audit_rows() == [entry_of(ada, "end_sessions", sessions=1)]

    def test_refuses_a_user_without_sessions(self, manager, ada):
        with pytest.raises(ChangeRefused, match="not logged in"):
            decide(services.end_sessions, ada, manager)


class TestEveryChange:
    """The rules that hold for each of them (docs/contributing/spec/promises.md, S-20)."""

    def state(self) -> list[tuple]:
        users = User.objects.order_by("pk").values_list("pk", "username", "password", "is_active", "is_staff")
        return [*users, UserSession.objects.count(), AuditEntry.objects.count()]

    def refused(self, user: User, manager: User, text: str) -> None:
        before = self.state()
        for act in DECISIONS:
            with pytest.raises(ChangeRefused, match=text):
                decide(act, user, manager)
        with pytest.raises(ChangeRefused, match=text):
            change(user, manager, first_name="Mine")
        assert self.state() == before

    def test_is_not_made_of_ones_own_account(self, manager):
        self.refused(manager, manager, "Another administrator")
        root = make_user(username="root", is_superuser=True)
        self.refused(root, root, "Another administrator")

    @pytest.mark.parametrize(
        ("roles", "columns", "text"),
        [
            ([], {"is_superuser": True}, "Only superusers change superusers"),
            (["support", "view_payload"], {}, "ada has the permission view_payload, which you do not have"),
            (["support"], {"is_staff": True}, "ada has access to the hub's tables, which you do not have"),
            (
                ["support", "view_payload"],
                {"is_active": False},
                "ada has the permission view_payload, which you do not have",
            ),
        ],
    )
    def test_is_not_made_of_users_who_have_more(self, manager, roles, columns, text):
        self.refused(make_user(*roles, **columns), manager, text)

    def test_is_not_made_by_users_who_may_no_longer(self, manager, ada):
        User.objects.filter(pk=manager.pk).update(is_active=False)
        self.refused(ada, manager, "You may no longer manage users")
        User.objects.filter(pk=manager.pk).update(is_active=True)
        manager.groups.set(Group.objects.filter(name="operator"))
        self.refused(ada, manager, "You may no longer manage users")

    def test_gives_no_more_than_the_manager_has(self, manager, ada):
        for key, text in {
            "view_payload": "“View payload” has the permission view_payload, which you do not have",
            "is_superuser": "Only users with “Superuser” can give it",
            "is_staff": "Only users with “Hub tables” can give it",
        }.items():
            with pytest.raises(ChangeRefused, match=text) as refused:
                change(ada, manager, grants=["support", key])
            assert refused.value.field == "grants"
        assert grants_of(User.objects.get(pk=ada.pk)) == ["support"]

    def test_is_refused_of_unknown_users(self, manager):
        for act in DECISIONS:
            for user_id in (777, 2**62):
                with pytest.raises(UserNotFound):
                    act(user_id=user_id, manager_id=manager.pk, actor=GRACE, reason="r")

    def test_is_not_made_without_its_entry(self, manager, ada):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE audit_entry ADD CHECK (action <> 'deactivate_user')")
        with pytest.raises(Exception, match="violates check constraint"):
            decide(services.deactivate_user, ada, manager)
        assert User.objects.get(pk=ada.pk).is_active
