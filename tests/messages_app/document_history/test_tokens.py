import hashlib
from datetime import UTC, datetime, timedelta

from django.core.signing import Signer

from messages_app.document_history.tokens import sign_token, start_of, token_for

START = datetime(2026, 11, 21, 10, 0, 0, 123456, tzinfo=UTC)
# The text that a token of START signs, and its salt for the document "u" of the trigger "t".
TEXT = "1795255200123456"
SALT = "document_history:" + hashlib.sha256(b'["t", "u"]').hexdigest()


class TestTokenFor:
    def test_signs_as_django_does_so_that_earlier_tokens_stay_valid(self):
        token = Signer(salt=SALT).sign(TEXT)
        assert token_for("t", "u", START) == token
        assert sign_token(TEXT, "t", "u") == token


class TestStartOf:
    def test_returns_the_start_to_the_microsecond(self):
        assert start_of(token_for("t", "u", START), "t", "u") == START

    def test_rejects_a_token_of_another_document(self):
        token = token_for("t", "u", START)
        assert start_of(token, "t", "v") is None
        assert start_of(token, "s", "u") is None
        # Joined, both pairs would be the same text.
        assert start_of(token_for("t", "u/v", START), "t/u", "v") is None

    def test_rejects_a_changed_token(self):
        assert start_of("", "t", "u") is None
        later = token_for("t", "u", START + timedelta(seconds=1)).partition(":")[0]
        assert start_of(f"{later}:{token_for('t', 'u', START).partition(':')[2]}", "t", "u") is None

    def test_rejects_a_token_that_is_no_text_of_ascii(self):
        assert start_of("\ud800", "t", "u") is None
        assert start_of("\N{SUPERSCRIPT TWO}:x", "t", "u") is None

    def test_accepts_a_token_that_an_earlier_key_signed(self, settings):
        settings.SECRET_KEY_FALLBACKS = ["earlier" * 8]
        token = Signer(key="earlier" * 8, salt=SALT).sign(TEXT)
        assert start_of(token, "t", "u") == START
        settings.SECRET_KEY_FALLBACKS = []
        assert start_of(token, "t", "u") is None
