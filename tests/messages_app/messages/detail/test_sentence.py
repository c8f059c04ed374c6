import pytest
from django.db import connection

from messages_app.messages.detail.advised_actions import explanation_of, messages_named
from messages_app.messages.diagnosis.explain import explain
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db


class TestExplanationOf:
    def test_is_what_the_query_says(self):
        message = make_message(state="FAILED", failed_count=4, failed_error_code="E103")
        assert explanation_of(message.pk).reason == explain(message.pk).reason

    def test_is_nothing_where_it_is_unknown(self):
        message = make_message(state="OK")
        # A hub's table without a column that the rules read.
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE message RENAME COLUMN guaranteed_order TO renamed")
        assert explanation_of(message.pk) is None
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert cursor.fetchone() == (1,)


class TestMessagesNamed:
    def test_are_the_numbers_that_are_ids_of_messages(self):
        live = make_message(msg_id=881234).pk
        old = make_archived_message(msg_id=991234).pk
        texts = [f"message {live} waits for {old}, port 8080", None, "message 771234 is gone"]
        assert messages_named(texts) == {live, old}

    @pytest.mark.parametrize("text", ["a-881234", "881234-1", "10.881234", "881234.5", "/881234/", "x881234"])
    def test_are_not_parts_of_other_words(self, text):
        make_message(msg_id=881234)
        assert messages_named([text]) == set()

    @pytest.mark.parametrize("text", ["881234", "(881234)", "881234.", "881234, then", "message #881234!"])
    def test_may_be_next_to_punctuation(self, text):
        make_message(msg_id=881234)
        assert messages_named([text]) == {881234}

    def test_cost_nothing_without_numbers(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert messages_named(["nothing", None, "42", "9" * 40]) == set()
