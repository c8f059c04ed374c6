"""Each entry of a second factor, as a whole row."""

import pytest

from messages_app.access.second_factor import devices
from tests.messages_app.access.second_factor.factors import code_of, enrol, wrong_code_of
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    make_user("support", username="linus")
    return make_user("admin")


class TestConfirm:
    def test_is_recorded_once_with_its_actor(self, ada):
        devices.begin_enrolment(user=ada)
        device = devices.unconfirmed_device_of(ada)
        devices.confirm_device(user=ada, code=wrong_code_of(device), actor=GRACE)
        assert audit_rows() == []
        devices.confirm_device(user=ada, code=code_of(device), actor=GRACE)
        assert audit_rows() == [by_grace("enrol_second_factor")]


class TestRenewRecoveryCodes:
    def test_is_recorded_with_its_actor(self, ada):
        enrol(ada)
        devices.renew_recovery_codes(user=ada, actor=GRACE)
        assert audit_rows()[1:] == [by_grace("renew_recovery_codes")]


class TestRemove:
    def test_is_recorded_once_with_its_actor_and_the_user_who_had_it(self, ada):
        enrol(ada)
        assert [devices.remove_devices(user=ada, actor=GRACE) for _ in range(2)] == [True, False]
        assert audit_rows()[1:] == [
            by_grace(
                "remove_second_factor", subject_kind="user", subject=str(ada.pk), details={"user": "ada"}
            )
        ]
