"""The checks of answers of passkeys, with a device that can also answer wrongly."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from messages_app.access.second_factor.models import Passkey, PasskeyChallenge
from messages_app.access.second_factor.passkeys import (
    MAX_ANSWER,
    MAX_PASSKEYS,
    Ceremony,
    PasskeyRefused,
    Purpose,
    add_passkey,
    begin_adding,
    begin_proof,
    check_passkey,
    forget_old_challenges,
    has_passkey_at,
    remove_passkey,
)
from messages_app.access.second_factor.relying_party import RelyingParty
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from tests.messages_app.access.second_factor.authenticators import (
    NOT_VERIFIED,
    ORIGIN,
    Authenticator,
    change_part,
)
from tests.support.factories import make_user
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

PARTY = RelyingParty(host="hub.example.org", origins=frozenset({ORIGIN}))
ELSEWHERE = RelyingParty(host="other.example.org", origins=frozenset({"https://other.example.org"}))


def meet(user: User, purpose: Purpose = Purpose.LOG_IN, *, session: str = "a", party=PARTY) -> Ceremony:
    return Ceremony(user=user, party=party, session_key=session, purpose=purpose)


def enrol_key(user: User, authenticator: Authenticator, *, name: str = "Laptop", party=PARTY) -> None:
    ceremony = meet(user, Purpose.ADD, party=party)
    (origin,) = party.origins
    answer = authenticator.create(begin_adding(ceremony), origin=origin)
    add_passkey(ceremony, name=name, answer=answer, actor=SYSTEM)


def refusal_of(ceremony: Ceremony, answer: str) -> str:
    """Return the word for the refusal of an answer; empty if it counts."""
    try:
        check_passkey(ceremony, answer)
    except PasskeyRefused as refusal:
        return refusal.code
    return ""


@pytest.fixture
def ada() -> User:
    make_user("admin", username="linus")
    return make_user("admin")


@pytest.fixture
def key(ada) -> Authenticator:
    key = Authenticator()
    enrol_key(ada, key)
    return key


class TestOptions:
    def test_ask_for_a_verified_user_at_this_host_and_name_the_keys_of_the_user(self, ada, key):
        enrol_key(ada, Authenticator(), party=ELSEWHERE)
        adding, proof = begin_adding(meet(ada, Purpose.ADD)), begin_proof(meet(ada))
        assert adding["rp"] == {"name": "Hub Console", "id": "hub.example.org"}
        assert adding["authenticatorSelection"]["userVerification"] == "required"
        assert (proof["rpId"], proof["userVerification"]) == ("hub.example.org", "required")
        (known,), (asked,) = adding["excludeCredentials"], proof["allowCredentials"]
        assert known["id"] == asked["id"] == json.loads(key.prove(proof))["id"]
        assert adding["timeout"] == proof["timeout"] == 300_000
        assert adding["challenge"] != proof["challenge"]


class TestAdd:
    def test_stores_the_key_once_with_its_name_host_and_an_entry_of_the_audit(self, ada):
        enrol_key(ada, Authenticator(count=7), name="Phone")
        passkey = Passkey.objects.get()
        assert (passkey.user, passkey.name, passkey.host) == (ada, "Phone", "hub.example.org")
        assert (passkey.sign_count, passkey.last_used_at) == (7, None)
        assert AuditEntry.objects.get().details == {"name": "Phone", "host": "hub.example.org"}
        assert has_passkey_at(ada, PARTY)
        assert not has_passkey_at(ada, ELSEWHERE)
        assert not has_passkey_at(ada, None)

    def test_refuses_a_key_that_is_known_also_of_another_user(self, ada, key):
        for user in (ada, User.objects.get(username="linus")):
            with pytest.raises(PasskeyRefused, match="already in use"):
                enrol_key(user, key)
        assert Passkey.objects.count() == 1

    def test_stores_no_more_keys_than_a_user_may_have(self, ada):
        for _ in range(MAX_PASSKEYS):
            enrol_key(ada, Authenticator())
        with pytest.raises(PasskeyRefused, match=f"or you have {MAX_PASSKEYS}"):
            enrol_key(ada, Authenticator())
        assert Passkey.objects.count() == MAX_PASSKEYS

    @pytest.mark.parametrize(
        "wrong",
        [
            {"origin": "https://evil.example"},
            {"origin": "http://hub.example.org"},
            {"origin": "https://hub.example.org:8443"},
            {"origin": "https://sub.hub.example.org"},
            {"host": "evil.example"},
            {"flags": NOT_VERIFIED},
        ],
        ids=str,
    )
    def test_refuses_an_answer_of_another_page_or_an_unverified_user(self, ada, wrong):
        ceremony = meet(ada, Purpose.ADD)
        answer = Authenticator().create(begin_adding(ceremony), **wrong)
        with pytest.raises(PasskeyRefused) as refused:
            add_passkey(ceremony, name="x", answer=answer, actor=SYSTEM)
        assert refused.value.code == "wrong_passkey"
        assert not Passkey.objects.exists()

    def test_refuses_the_challenge_of_a_proof(self, ada, key):
        options = begin_proof(meet(ada)) | {"rp": {"id": PARTY.host}}
        answer = Authenticator().create(options)
        with pytest.raises(PasskeyRefused):
            add_passkey(meet(ada, Purpose.ADD), name="x", answer=answer, actor=SYSTEM)
        assert Passkey.objects.count() == 1


class TestCheck:
    def test_accepts_an_answer_once_and_notes_the_use(self, ada, key):
        answer = key.prove(begin_proof(meet(ada)))
        assert refusal_of(meet(ada), answer) == ""
        assert timezone.now() - Passkey.objects.get().last_used_at < timedelta(minutes=1)
        assert refusal_of(meet(ada), answer) == "passkey_expired"

    @pytest.mark.parametrize(
        "other",
        [{"session": "b"}, {"purpose": Purpose.CONFIRM}, {"purpose": Purpose.ADD}, {"party": ELSEWHERE}],
        ids=str,
    )
    def test_refuses_an_answer_for_another_session_use_or_host(self, ada, key, other):
        answer = key.prove(begin_proof(meet(ada)))
        assert refusal_of(meet(ada, **other), answer) in {"passkey_expired", "unknown_passkey"}

    def test_refuses_the_answer_of_another_user(self, ada, key):
        linus = User.objects.get(username="linus")
        enrol_key(linus, Authenticator())
        assert refusal_of(meet(linus), key.prove(begin_proof(meet(ada)))) == "passkey_expired"
        assert refusal_of(meet(linus), key.prove(begin_proof(meet(linus)))) == "unknown_passkey"

    def test_refuses_a_challenge_that_was_never_given_or_has_ended(self, ada, key):
        options = begin_proof(meet(ada))
        assert refusal_of(meet(ada), key.prove(options | {"challenge": "A" * 43})) == "passkey_expired"
        PasskeyChallenge.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
        assert refusal_of(meet(ada), key.prove(options)) == "passkey_expired"

    @pytest.mark.parametrize(
        "wrong",
        [
            {"origin": "https://evil.example"},
            {"origin": "http://hub.example.org"},
            {"origin": "https://sub.hub.example.org"},
            {"origin": "https://hub.example.org.evil.example"},
            {"host": "evil.example"},
            {"flags": NOT_VERIFIED},
            {"flags": 0x04},
        ],
        ids=str,
    )
    def test_refuses_another_page_or_an_unverified_user_and_uses_the_challenge_up(self, ada, key, wrong):
        options = begin_proof(meet(ada))
        assert refusal_of(meet(ada), key.prove(options, **wrong)) == "wrong_passkey"
        assert refusal_of(meet(ada), key.prove(options)) == "passkey_expired"

    @pytest.mark.parametrize("part", ["signature", "authenticatorData"])
    def test_refuses_a_changed_answer(self, ada, key, part):
        answer = key.prove(begin_proof(meet(ada)))
        changed = change_part(answer, part, lambda text: text[:-1] + bytes([text[-1] ^ 1]))
        assert refusal_of(meet(ada), changed) == "wrong_passkey"

    def test_refuses_the_signature_of_another_key_under_the_id_of_this_one(self, ada, key):
        thief = Authenticator()
        thief.credential_id = key.credential_id
        assert refusal_of(meet(ada), thief.prove(begin_proof(meet(ada)))) == "wrong_passkey"

    def test_refuses_a_removed_key(self, ada, key):
        options = begin_proof(meet(ada))
        assert remove_passkey(user=ada, passkey_id=Passkey.objects.get().pk, actor=SYSTEM) == "Laptop"
        assert refusal_of(meet(ada), key.prove(options)) == "unknown_passkey"

    def test_refuses_a_key_whose_count_does_not_grow(self, ada):
        key = Authenticator(count=7)
        enrol_key(ada, key)
        assert refusal_of(meet(ada), key.prove(begin_proof(meet(ada)))) == ""
        assert Passkey.objects.get().sign_count == 8
        for count in (7, 6, 0):
            key.count = count
            assert refusal_of(meet(ada), key.prove(begin_proof(meet(ada)))) == ("passkey_counter")
        key.count = 8
        assert refusal_of(meet(ada), key.prove(begin_proof(meet(ada)))) == ""

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            "x",
            "null",
            "[]",
            "{}",
            '{"id": 1, "rawId": 2, "response": 3, "type": "public-key"}',
            '{"id": "é", "rawId": "é", "response": {}, "type": "public-key"}',
            "[" * 10_000,
            "1" * (MAX_ANSWER + 1),
        ],
        ids=lambda text: text[:20],
    )
    def test_refuses_what_is_not_an_answer(self, ada, key, answer):
        assert refusal_of(meet(ada), answer) == "wrong_passkey"

    @pytest.mark.parametrize("name", ["clientDataJSON", "authenticatorData", "signature"])
    @pytest.mark.parametrize("change", [lambda text: b"", lambda text: text[:9], lambda text: b"\xff" * 200])
    def test_refuses_an_answer_with_a_broken_part(self, ada, key, name, change):
        answer = change_part(key.prove(begin_proof(meet(ada))), name, change)
        assert refusal_of(meet(ada), answer) == "wrong_passkey"


class TestRemove:
    def test_removes_only_a_key_of_the_user_and_records_it(self, ada, key):
        passkey_id = Passkey.objects.get().pk
        linus = User.objects.get(username="linus")
        assert remove_passkey(user=linus, passkey_id=passkey_id, actor=SYSTEM) is None
        assert remove_passkey(user=ada, passkey_id=passkey_id, actor=SYSTEM) == "Laptop"
        assert remove_passkey(user=ada, passkey_id=passkey_id, actor=SYSTEM) is None
        entry = AuditEntry.objects.get(action="remove_passkey")
        assert entry.details == {"name": "Laptop", "host": "hub.example.org"}


class TestForgetOldChallenges:
    def test_removes_only_challenges_that_have_ended(self, ada, key):
        for _ in range(3):
            begin_proof(meet(ada))
        kept = PasskeyChallenge.objects.first()
        PasskeyChallenge.objects.exclude(pk=kept.pk).update(ends_at=timezone.now() - timedelta(minutes=1))
        assert forget_old_challenges() == 2
        assert PasskeyChallenge.objects.get() == kept


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_allow_only_one_of_many_to_use_an_answer(self, ada, key):
        answer = key.prove(begin_proof(meet(ada)))
        results = in_threads(*[lambda: refusal_of(meet(ada), answer)] * 6)
        assert sorted(results) == ["", *["passkey_expired"] * 5]

    def test_allow_a_count_only_once(self, ada):
        key = Authenticator(count=5)
        enrol_key(ada, key)
        answers = []
        for _ in range(4):
            key.count = 5
            answers.append(key.prove(begin_proof(meet(ada))))
        results = in_threads(*[lambda answer=answer: refusal_of(meet(ada), answer) for answer in answers])
        assert sorted(results) == ["", *["passkey_counter"] * 3]

    def test_store_no_more_keys_than_a_user_may_have(self, ada):
        for _ in range(MAX_PASSKEYS - 1):
            enrol_key(ada, Authenticator())

        def add_another() -> str:
            try:
                enrol_key(ada, Authenticator())
            except PasskeyRefused as refusal:
                return refusal.code
            return ""

        assert sorted(in_threads(*[add_another] * 6)) == ["", *["passkey_not_added"] * 5]
        assert Passkey.objects.count() == MAX_PASSKEYS
