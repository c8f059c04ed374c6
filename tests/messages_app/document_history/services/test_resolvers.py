import pytest

from messages_app.document_history.services import resolvers
from messages_app.document_history.services.resolvers import (
    UnknownResolver,
    register_resolver,
    resolver_called,
    resolver_names,
    unregister_resolver,
)
from messages_app.document_history.states import RULES, Rule, Verdict


@pytest.fixture
def registered_one():
    resolver = register_resolver("tests.one")(lambda asked: {"status": "NEW"})
    yield resolver
    unregister_resolver("tests.one")


class TestRegister:
    def test_finds_the_resolver_by_its_name(self, registered_one):
        assert resolver_called("tests.one") is registered_one
        assert "tests.one" in resolver_names()

    def test_refuses_another_of_the_same_name(self, registered_one):
        with pytest.raises(ValueError, match=r"tests\.one"):
            register_resolver("tests.one")(lambda asked: {"status": "IN_DOUBT"})
        assert register_resolver("tests.one")(registered_one) is registered_one


class TestResolverCalled:
    def test_imports_the_modules_of_the_setting(self, settings, tmp_path, monkeypatch):
        module = tmp_path / "ledger_of_tests.py"
        module.write_text(
            "from messages_app.document_history.services.resolvers import register_resolver\n"
            "@register_resolver('tests.ledger')\n"
            "def ask(asked):\n"
            "    return {'status': 'DUPLICATE'}\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        settings.DOCUMENT_RESOLVERS = ["ledger_of_tests"]
        resolvers._import_modules.cache_clear()
        try:
            assert resolver_called("tests.ledger")({}) == {"status": "DUPLICATE"}
        finally:
            unregister_resolver("tests.ledger")
            resolvers._import_modules.cache_clear()

    def test_rejects_any_other_name(self):
        with pytest.raises(UnknownResolver):
            resolver_called("tests.nobody")


class TestAnswer:
    SAID, INVALID = RULES[Rule.RESOLVER_SAID].words, RULES[Rule.RESOLVER_INVALID].words

    @pytest.mark.parametrize(
        ("answer", "rule", "verdict", "words"),
        [
            ({"status": "NEW", "message": "not booked"}, Rule.RESOLVER_SAID, Verdict.NEW, "not booked"),
            ({"status": "DUPLICATE", "message": ""}, Rule.RESOLVER_SAID, Verdict.DUPLICATE, SAID),
            ({"status": "DUPLICATE", "message": 7}, Rule.RESOLVER_SAID, Verdict.DUPLICATE, SAID),
            ({"status": "in doubt"}, Rule.RESOLVER_SAID, Verdict.IN_DOUBT, SAID),
            ({"status": "In_Doubt", "message": "ask"}, Rule.RESOLVER_SAID, Verdict.IN_DOUBT, "ask"),
            ({"status": "new", "message": "lost"}, Rule.RESOLVER_INVALID, Verdict.IN_DOUBT, INVALID),
            ({"status": None}, Rule.RESOLVER_INVALID, Verdict.IN_DOUBT, INVALID),
            ({"status": ["NEW"]}, Rule.RESOLVER_INVALID, Verdict.IN_DOUBT, INVALID),
            ({}, Rule.RESOLVER_INVALID, Verdict.IN_DOUBT, INVALID),
            (None, Rule.RESOLVER_INVALID, Verdict.IN_DOUBT, INVALID),
            ("NEW", Rule.RESOLVER_INVALID, Verdict.IN_DOUBT, INVALID),
        ],
    )
    def test_is_read_by_its_status_and_message(self, answer, rule, verdict, words):
        resolved = resolvers._parse_answer(answer)
        assert (resolved.rule, resolved.verdict, resolved.message) == (rule, verdict, words)
