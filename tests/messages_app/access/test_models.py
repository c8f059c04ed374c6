import pytest

from messages_app.access import roles
from messages_app.access.models import IdempotencyKey, ScopedUser
from messages_app.messages.keeping.models import SavedView
from tests.factories import make_user

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

    def test_is_the_user_in_all_else(self, django_assert_num_queries):
        ada = make_user("operator")
        with django_assert_num_queries(0):
            user = ScopedUser.of(ada, rights=frozenset())
            assert (user, user.pk, user.get_username()) == (ada, ada.pk, "ada")
        SavedView.objects.create(owner=user, name="mine", query="state=FAILED")
        IdempotencyKey.objects.create(user=user, key="k", request_sha256="x")
        assert SavedView.objects.filter(owner=ada).count() == 1
        assert IdempotencyKey.objects.filter(user=ada).count() == 1
