import pytest

from messages_app.access import roles
from messages_app.access.models import IdempotencyKey, ScopedUser
from messages_app.messages.list.models import SavedView
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


class TestScopedUser:
    def test_may_what_both_the_user_and_the_scopes_give(self):
        user = ScopedUser.of(
            make_user("operator"), rights=frozenset({roles.CAN_CANCEL, roles.CAN_ARCHIVE, "messages_app.zzz"})
        )
        may = [right for right in (*roles.ROLES["admin"], "messages_app.zzz") if user.has_perm(right)]
        assert may == [roles.CAN_CANCEL]
        assert not user.has_perms([roles.CAN_CANCEL, roles.CAN_RESTART])

    def test_may_nothing_of_itself(self):
        root = make_user(is_superuser=True)
        assert root.has_perm(roles.CAN_CANCEL)
        assert not ScopedUser.objects.get(pk=root.pk).has_perm(roles.CAN_CANCEL)

    def test_says_which_right_a_scope_alone_withheld_last(self):
        user = ScopedUser.of(make_user("operator"), rights=frozenset({roles.CAN_CANCEL}))
        said = []
        for right in (roles.CAN_RESTART, roles.CAN_CANCEL, roles.CAN_RESTART, roles.CAN_ARCHIVE):
            user.has_perm(right)
            said.append(user.withheld)
        assert said == [roles.CAN_RESTART, "", roles.CAN_RESTART, ""]

    def test_may_what_is_confined_with_one_of_its_names_alone(self):
        confined = {roles.CAN_CANCEL: frozenset({"a"}), roles.CAN_ARCHIVE: frozenset({"a"})}
        user = ScopedUser.of(make_user("operator"), rights=frozenset(), confined=confined)
        may = [(name, user.has_perm(roles.CAN_CANCEL, name)) for name in ("a", "A", "", None)]
        assert may == [("a", True), ("A", False), ("", False), (None, False)]
        assert not user.has_perm(roles.CAN_CANCEL)
        assert not user.has_perm(roles.CAN_ARCHIVE, "a")
        assert not user.has_perm(roles.CAN_RESTART, "a")

    def test_says_for_which_name_a_scope_withheld_it(self):
        user = ScopedUser.of(
            make_user("operator"), rights=frozenset(), confined={roles.CAN_CANCEL: frozenset({"a"})}
        )
        said = []
        for name in ("b", "a", None):
            user.has_perm(roles.CAN_CANCEL, name)
            said.append((user.withheld, user.withheld_name))
        assert said == [(roles.CAN_CANCEL, "b"), ("", None), (roles.CAN_CANCEL, None)]

    def test_reaches_names_where_a_right_is_confined_to_some(self):
        rights, names = frozenset({roles.CAN_CANCEL}), frozenset({"a"})
        confined = dict.fromkeys((roles.CAN_CANCEL, roles.CAN_RESTART, roles.CAN_ARCHIVE), names)
        user = ScopedUser.of(make_user("operator"), rights=rights, confined=confined)
        asked = (roles.CAN_CANCEL, roles.CAN_RESTART, roles.CAN_ARCHIVE, roles.CAN_CHANGE_GROUPS)
        assert [user.reach_of(right) for right in asked] == [None, names, None, None]

    def test_is_the_user_in_all_else(self, django_assert_num_queries):
        ada = make_user("operator")
        with django_assert_num_queries(0):
            user = ScopedUser.of(ada, rights=frozenset())
            assert (user, user.pk, user.get_username()) == (ada, ada.pk, "ada")
        SavedView.objects.create(owner=user, name="mine", query="state=FAILED")
        IdempotencyKey.objects.create(user=user, key="k", request_sha256="x")
        assert SavedView.objects.filter(owner=ada).count() == 1
        assert IdempotencyKey.objects.filter(user=ada).count() == 1
