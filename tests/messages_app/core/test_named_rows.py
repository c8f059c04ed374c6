import pytest

from messages_app.core.named_rows import audited_values, check_name, save_named_row
from messages_app.core.problems import Problem
from tests.messages_app.messages.alerts.rules import make_rule


def error_of(problem: Problem) -> tuple[int, str, str, str]:
    (error,) = problem.errors
    return problem.status, error.field, error.code, error.message


class TestCheckName:
    @pytest.mark.parametrize("name", ["a", "n" * 100, "a name", "Ünïcode"])
    def test_accepts_names_on_one_line(self, name):
        check_name(name)

    @pytest.mark.parametrize("name", ["", " ", "\u2003", "n" * 101, "a\nb", "a\rb", "a\0b", "a\u2028b"])
    def test_refuses_others(self, name):
        with pytest.raises(Problem) as problem:
            check_name(name)
        text = "name must have 1 to 100 characters on one line."
        assert error_of(problem.value) == (400, "name", "invalid_value", text)


@pytest.mark.django_db
class TestSaveNamedRow:
    def test_refuses_the_name_of_another_row_and_leaves_it(self):
        make_rule(name="loud")
        quiet = make_rule(name="quiet")
        quiet.name = "loud"
        with pytest.raises(Problem) as problem:
            save_named_row(quiet, noun="rule")
        told = "A rule named loud already exists."
        assert error_of(problem.value) == (400, "name", "duplicate", told)
        quiet.refresh_from_db()
        assert quiet.name == "quiet"

    def test_writes_only_the_given_columns(self):
        rule = make_rule(name="loud", limit=3)
        rule.name, rule.limit = "louder", 4
        save_named_row(rule, noun="rule", update_fields=["name"])
        rule.refresh_from_db()
        assert (rule.name, rule.limit) == ("louder", 3)
        rule.name, rule.limit = "loudest", 5
        save_named_row(rule, noun="rule")
        rule.refresh_from_db()
        assert (rule.name, rule.limit) == ("loudest", 5)


class TestAuditedValues:
    def test_keeps_numbers_and_flags_and_writes_all_others_as_text(self):
        values = {"limit": 1.5, "at_least": 3, "enabled": True, "name": "a", "mail_to": ["x"], "none": None}
        assert audited_values(values) == {
            "limit": 1.5,
            "at_least": 3,
            "enabled": True,
            "name": "a",
            "mail_to": "['x']",
            "none": "None",
        }
        assert audited_values({"enabled": True})["enabled"] is True
