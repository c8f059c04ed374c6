import pytest
from django_otp.plugins.otp_totp.models import TOTPDevice

from messages_app.access.second_factor import devices
from messages_app.access.second_factor.recovery_codes import count_codes
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from tests.messages_app.access.second_factor.factors import code_of, enrol, next_code_of, wrong_code_of
from tests.support.factories import make_user
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


class TestIsAdministrator:
    @pytest.mark.parametrize(
        ("roles", "columns", "is_one"),
        [
            (["admin"], {}, True),
            (["operator", "view_payload"], {}, False),
            ([], {"is_staff": True}, True),
            ([], {"is_superuser": True}, True),
        ],
    )
    def test_is_a_user_who_may_change_the_console(self, roles, columns, is_one):
        assert devices.is_administrator(make_user(*roles, **columns)) is is_one


class TestConfirm:
    def test_activates_the_app_that_shows_the_code(self):
        user = make_user("admin")
        devices.begin_enrolment(user=user)
        device = devices.unconfirmed_device_of(user)
        assert not devices.is_asked_of(user)
        assert devices.confirm_device(user=user, code=wrong_code_of(device), actor=SYSTEM) is None
        assert devices.device_of(user) is None
        codes = devices.confirm_device(user=user, code=code_of(device), actor=SYSTEM)
        assert (len(set(codes)), count_codes(user)) == (10, 10)
        assert devices.is_asked_of(user)
        assert AuditEntry.objects.filter(action="enrol_second_factor").count() == 1

    def test_refuses_a_second_app_and_a_missing_one(self):
        user = make_user("admin")
        with pytest.raises(devices.NothingToConfirm):
            devices.confirm_device(user=user, code="000000", actor=SYSTEM)
        enrol(user)
        devices.begin_enrolment(user=user)
        begun = devices.unconfirmed_device_of(user)
        with pytest.raises(devices.NothingToConfirm):
            devices.confirm_device(user=user, code=code_of(begun), actor=SYSTEM)

    def test_accepts_only_the_last_key(self):
        user = make_user("admin")
        devices.begin_enrolment(user=user)
        before = devices.unconfirmed_device_of(user)
        devices.begin_enrolment(user=user)
        assert TOTPDevice.objects.count() == 1
        assert devices.confirm_device(user=user, code=code_of(before), actor=SYSTEM) is None


class TestCheck:
    def test_accepts_a_code_once(self):
        user = make_user("admin")
        device, _ = enrol(user)
        assert devices.check_code(user=user, code=code_of(device)) == ""  # already used for the enrolment
        code = next_code_of(device)
        assert devices.check_code(user=user, code=f" {code[:3]} {code[3:]} ") == "code"
        assert devices.check_code(user=user, code=code) == ""

    def test_accepts_a_recovery_code_once(self):
        user = make_user("admin")
        _, codes = enrol(user)
        assert devices.check_code(user=user, code=codes[3].upper()) == "recovery_code"
        assert devices.check_code(user=user, code=codes[3]) == ""
        assert count_codes(user) == 9

    @pytest.mark.parametrize("code", ["", " ", "12345", "1234567", "\0", "x" * 10_000, "٣٣٣٣٣٣", "' OR 1=1"])
    def test_refuses_an_invalid_code(self, code):
        user = make_user("admin")
        enrol(user)
        assert devices.check_code(user=user, code=code) == ""

    def test_rejects_codes_of_other_users(self):
        _, codes = enrol(make_user("admin"))
        bob = make_user("admin", username="bob")
        device, _ = enrol(bob)
        eve = make_user("admin", username="eve")
        assert devices.check_code(user=bob, code=codes[0]) == ""
        assert devices.check_code(user=eve, code=next_code_of(device)) == ""

    def test_is_not_locked_out_by_earlier_wrong_codes(self):
        user = make_user("admin")
        device, _ = enrol(user)
        for _ in range(20):
            assert devices.check_code(user=user, code=wrong_code_of(device)) == ""
        assert devices.check_code(user=user, code=next_code_of(device)) == "code"


@pytest.mark.django_db(transaction=True)
class TestRaces:
    @pytest.mark.parametrize("kind", ["app", "recovery"])
    def test_allow_only_one_of_many_to_use_a_code(self, kind):
        user = make_user("admin")
        device, codes = enrol(user)
        code = next_code_of(device) if kind == "app" else codes[0]
        results = in_threads(*[lambda: devices.check_code(user=user, code=code)] * 6)
        assert sorted(map(bool, results)) == [False] * 5 + [True]


@pytest.mark.django_db(transaction=True)
class TestMissingCodes:
    def test_are_made_once_if_two_tabs_add_the_first_factor(self):
        user = make_user("admin")
        codes = in_threads(*[lambda: devices.make_missing_codes(user)] * 5)
        assert sorted(map(len, codes)) == [0, 0, 0, 0, 10]
        assert count_codes(user) == 10


class TestRemove:
    def test_removes_all_of_it_and_reports_whether_there_was_any(self):
        user = make_user("admin")
        _, codes = enrol(user)
        assert devices.remove_devices(user=user, actor=SYSTEM) is True
        assert not devices.is_asked_of(user)
        assert devices.check_code(user=user, code=codes[0]) == ""
        assert devices.remove_devices(user=user, actor=SYSTEM) is False
        assert AuditEntry.objects.filter(action="remove_second_factor").count() == 1


class TestKeyText:
    def test_is_base_32_in_fours(self):
        assert devices.key_text(TOTPDevice(key="00" * 19 + "ff")) == "AAAA " * 7 + "AAH7"
