import pytest
from django.db import connection, transaction

from messages_app.audit.grants import grant_privileges, may_rewrite
from messages_app.audit.privileges import PRIVILEGES, Part
from messages_app.audit.role_fit import ONE_ROLE, Fit, compare_privileges
from tests.support.parameters import quick_first

ROLE = "hubconsole_tests_fit"

pytestmark = pytest.mark.django_db


def execute(text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(text)


def fit_without(table: str, role: str) -> Fit:
    """Return the fit of a role without any privileges for a table."""
    with transaction.atomic():
        execute(f"REVOKE ALL ON {table} FROM {role}")
        try:
            return compare_privileges(role)
        finally:
            transaction.set_rollback(True)


@pytest.fixture
def role(db) -> str:
    """Create a role that the end of the test's transaction removes."""
    execute(f"CREATE ROLE {ROLE}")
    return ROLE


class TestFitOf:
    @pytest.mark.parametrize("part", Part)
    def test_recognizes_the_grants_of_a_role(self, role, part):
        grant_privileges(role, part)
        fit = compare_privileges(role)
        assert (fit.parts, fit.lacking, fit.more) == ((part,), [], [])

    def test_recognizes_one_role_for_all_parts(self, role):
        grant_privileges(role)
        fit = compare_privileges(role)
        assert (fit.parts, fit.lacking, fit.more) == (ONE_ROLE, [], [])
        assert compare_privileges(role, parts=(Part.WEB,)).lacking == []

    @pytest.mark.parametrize("part", quick_first([None, *Part]))
    def test_still_recognizes_it_if_a_table_was_added_after_the_grant(self, role, part):
        grant_privileges(role, part)
        parts = ONE_ROLE if part is None else (part,)
        for table, row in PRIVILEGES.items():
            fit = fit_without(table, role)
            needs = any(list(row[each].iterate_clauses()) for each in parts)
            assert fit.parts == parts
            assert {right.split()[1].split(".")[0] for right in fit.lacking} == ({table} if needs else set())

    def test_reports_a_column_that_was_added_after_the_grant(self, role):
        grant_privileges(role, Part.WEB)
        execute(f"REVOKE UPDATE (state) ON message FROM {role}")
        assert compare_privileges(role).lacking == ["UPDATE message.state"]

    def test_distinguishes_grants_from_elsewhere(self, role):
        grant_privileges(role, Part.WORKER)
        execute("GRANT TRUNCATE ON message TO PUBLIC")
        assert compare_privileges(role).more == ["TRUNCATE message"]

    def test_compares_with_the_parts_that_were_asked_for(self, role):
        grant_privileges(role, Part.WEB)
        execute(f"REVOKE SELECT ON job FROM {role}")
        fit = compare_privileges(role, parts=(Part.WEB,))
        assert (fit.parts, fit.lacking, fit.more) == ((Part.WEB,), ["SELECT job"], [])
        of_spark = compare_privileges(role, parts=(Part.SPARK,))
        assert of_spark.parts == (Part.SPARK,)
        assert "DELETE message" in of_spark.lacking
        both = compare_privileges(role, parts=(Part.WEB, Part.SPARK))
        assert set(both.lacking) == {*of_spark.lacking, "SELECT job"}

    def test_does_not_query_tables_that_do_not_exist(self, role):
        grant_privileges(role, Part.WEB)
        execute("DROP TABLE alert CASCADE")
        execute("ALTER TABLE failure_group DROP COLUMN note CASCADE")
        assert compare_privileges(role).lacking == []

    def test_treats_a_role_without_grants_as_one_for_all_parts(self, role):
        fit = compare_privileges(role)
        assert fit.parts == ONE_ROLE
        assert "SELECT message" in fit.lacking

    def test_lets_the_owner_and_superusers_do_all(self, role):
        for table in PRIVILEGES:
            execute(f"ALTER TABLE {table} OWNER TO {role}")
        for fit in (compare_privileges(role), compare_privileges()):
            assert (fit.parts, fit.lacking, fit.more) == (ONE_ROLE, [], [])


class TestMayRewrite:
    @pytest.mark.parametrize(
        ("statement", "expected"),
        [
            ("SELECT", False),
            ("INSERT", False),
            ("UPDATE", True),
            ("DELETE", True),
            ("TRUNCATE", True),
        ],
    )
    def test_is_about_privileges_for_changes_of_the_audit_log(self, role, statement, expected):
        execute(f"GRANT {statement} ON audit_entry TO {role}; GRANT ALL ON message TO {role}")
        execute(f"SET LOCAL ROLE {role}")
        assert may_rewrite() is expected
        execute("RESET ROLE")

    def test_is_true_of_the_owner_without_privileges(self, role):
        execute(f"ALTER TABLE audit_entry OWNER TO {role}; REVOKE ALL ON audit_entry FROM {role}")
        execute(f"SET LOCAL ROLE {role}")
        assert may_rewrite()
        execute("RESET ROLE")
