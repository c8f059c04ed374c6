import re

import pytest

from messages_app.access.second_factor.models import RecoveryCode
from messages_app.access.second_factor.recovery_codes import (
    count_codes,
    remove_codes,
    replace_codes,
    use_code,
)
from tests.support.factories import make_user
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    make_user("admin", username="linus")
    return make_user("admin")


class TestReplaceCodes:
    def test_gives_ten_codes_of_125_random_bits_and_ends_the_earlier_ones(self, ada):
        earlier, codes = replace_codes(ada), replace_codes(ada)
        assert all(re.fullmatch(r"([a-km-np-z2-9]{5}-){4}[a-km-np-z2-9]{5}", code) for code in codes)
        assert len({*earlier, *codes}) == 20
        assert count_codes(ada) == 10
        assert not use_code(ada, earlier[0])

    def test_stores_only_digests(self, ada):
        codes = replace_codes(ada)
        stored = " ".join(RecoveryCode.objects.values_list("code_sha256", flat=True))
        assert re.fullmatch(r"([0-9a-f]{64} ?){10}", stored)
        assert not any(code in stored or code.replace("-", "") in stored for code in codes)


class TestUseCode:
    def test_counts_once_with_or_without_hyphens(self, ada):
        first, second, *_ = replace_codes(ada)
        assert [use_code(ada, first) for _ in range(2)] == [1, 0]
        assert use_code(ada, second.replace("-", ""))
        assert count_codes(ada) == 8

    @pytest.mark.parametrize("code", ["", "-", "aaaaa", "x" * 26, "O0O0O-11111-lllll-ooooo-00000"])
    def test_refuses_what_is_not_a_code(self, ada, code):
        replace_codes(ada)
        assert not use_code(ada, code)

    def test_refuses_the_code_of_another_user_and_a_removed_one(self, ada):
        first, *_ = replace_codes(ada)
        assert not use_code(make_user("admin", username="eve"), first)
        remove_codes(ada)
        assert not use_code(ada, first)


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_allow_only_one_of_many_to_use_a_code(self, ada):
        first, *_ = replace_codes(ada)
        assert sorted(in_threads(*[lambda: use_code(ada, first)] * 6)) == [0] * 5 + [1]

    def test_leave_only_the_ten_codes_of_the_last_request(self, ada):
        replace_codes(ada)
        in_threads(*[lambda: replace_codes(ada)] * 5)
        assert count_codes(ada) == 10
