import pytest

from messages_app.access import roles
from messages_app.access.models import IdempotencyKey, ScopedUser
from messages_app.messages.listing.models import SavedView
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


class TestScopedUser:
    def test_has_permissions_that_both_the_user_and_the_scopes_have(self):
        user = ScopedUser.limit_user(
            make_user("operator"), rights=frozenset({roles.CAN_CANCEL, roles.CAN_ARCHIVE, "messages_app.zzz"})
        )
        may = [right for right in (*roles.ROLES["admin"], "messages_app.zzz") if user.has_perm(right)]
        assert may == [roles.CAN_CANCEL]
        assert not user.has_perms([roles.CAN_CANCEL, roles.CAN_RESTART])

    def test_has_no_permissions_of_its_own(self):
        root = make_user(is_superuser=True)
        assert root.has_perm(roles.CAN_CANCEL)
        assert not ScopedUser.objects.get(pk=root.pk).has_perm(roles.CAN_CANCEL)

    def test_reports_the_last_permission_that_only_a_scope_withheld(self):
        user = ScopedUser.limit_user(make_user("operator"), rights=frozenset({roles.CAN_CANCEL}))
        said = []
        for right in (roles.CAN_RESTART, roles.CAN_CANCEL, roles.CAN_RESTART, roles.CAN_ARCHIVE):
            user.has_perm(right)
            said.append(user.withheld)
        assert said == [roles.CAN_RESTART, "", roles.CAN_RESTART, ""]

    def test_reports_the_last_permission_that_the_user_lacks(self):
        user = ScopedUser.limit_user(make_user("operator"), rights=frozenset({roles.CAN_CANCEL}))
        said = []
        for right in (roles.CAN_ARCHIVE, roles.CAN_CANCEL, roles.CAN_ARCHIVE, roles.CAN_RESTART):
            user.has_perm(right)
            said.append(user.missing)
        assert said == [roles.CAN_ARCHIVE, "", roles.CAN_ARCHIVE, ""]

    def test_has_a_confined_permission_only_with_one_of_its_names(self):
        confined = {roles.CAN_CANCEL: frozenset({"a"}), roles.CAN_ARCHIVE: frozenset({"a"})}
        user = ScopedUser.limit_user(make_user("operator"), rights=frozenset(), confined=confined)
        may = [(name, user.has_perm(roles.CAN_CANCEL, name)) for name in ("a", "A", "", None)]
        assert may == [("a", True), ("A", False), ("", False), (None, False)]
        assert not user.has_perm(roles.CAN_CANCEL)
        assert not user.has_perm(roles.CAN_ARCHIVE, "a")
        assert not user.has_perm(roles.CAN_RESTART, "a")

    def test_reports_for_which_name_a_scope_withheld_it(self):
        user = ScopedUser.limit_user(
            make_user("operator"), rights=frozenset(), confined={roles.CAN_CANCEL: frozenset({"a"})}
        )
        said = []
        for name in ("b", "a", None):
            user.has_perm(roles.CAN_CANCEL, name)
            said.append((user.withheld, user.withheld_name))
        assert said == [(roles.CAN_CANCEL, "b"), ("", None), (roles.CAN_CANCEL, None)]

    def test_reaches_only_the_names_of_a_confined_permission(self):
        rights, names = frozenset({roles.CAN_CANCEL}), frozenset({"a"})
        confined = dict.fromkeys((roles.CAN_CANCEL, roles.CAN_RESTART, roles.CAN_ARCHIVE), names)
        user = ScopedUser.limit_user(make_user("operator"), rights=rights, confined=confined)
        asked = (roles.CAN_CANCEL, roles.CAN_RESTART, roles.CAN_ARCHIVE, roles.CAN_CHANGE_GROUPS)
        assert [user.reach_of(right) for right in asked] == [None, names, None, None]

    def test_is_the_user_in_everything_else(self, django_assert_num_queries):
        ada = make_user("operator")
        with django_assert_num_queries(0):
            user = ScopedUser.limit_user(ada, rights=frozenset())
            assert (user, user.pk, user.get_username()) == (ada, ada.pk, "ada")
        SavedView.objects.create(owner=user, name="mine", query="state=FAILED")
        IdempotencyKey.objects.create(user=user, key="k", request_sha256="x")
        assert SavedView.objects.filter(owner=ada).count() == 1
        assert IdempotencyKey.objects.filter(user=ada).count() == 1
