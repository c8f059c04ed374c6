"""Statements about the catalog, among objects that each miss one condition."""

import pytest
from django.db import connection

from messages_app.attach.recognition import statements
from messages_app.shared.hub_zones import mark_of_instants

pytestmark = pytest.mark.django_db

BERLIN = mark_of_instants("Europe/Berlin")

TABLES = """
CREATE SCHEMA hub_one;
CREATE SCHEMA hub_two;
CREATE SCHEMA other;
CREATE TABLE hub_one.message (msg_id int, correlation_id int, at timestamp);
CREATE TABLE hub_two.archive (msg_id int, at timestamp);
CREATE TABLE hub_one.secret (at timestamp);
CREATE TABLE other.message (msg_id int, correlation_id int, service_name text, at timestamp);
"""


def instant(zone: str) -> str:
    return f"(CASE WHEN at < '2000-01-01' THEN NULL ELSE timezone('{zone}', at) END)"


INDEXES = f"""
CREATE INDEX hubc_plain ON hub_one.message (msg_id);
CREATE INDEX hubc_berlin ON hub_one.message ({instant("Europe/Berlin")});
CREATE INDEX hubc_rome ON hub_one.message ({instant("Europe/Rome")});
CREATE INDEX hubc_both ON hub_one.message ({instant("Europe/Berlin")}, {instant("Europe/Rome")});
CREATE INDEX hubc_earlier ON hub_two.archive (timezone('Europe/Berlin', at));
CREATE INDEX hubc_broken ON hub_two.archive (msg_id);
CREATE INDEX of_hub ON hub_one.message (timezone('Europe/Rome', at));
CREATE INDEX of_broken ON hub_one.message (msg_id);
CREATE INDEX hubc_elsewhere ON other.message (timezone('Europe/Rome', at));
CREATE SEQUENCE hub_one.hubc_sequence;
UPDATE pg_index SET indisvalid = false
 WHERE indexrelid IN ('hub_two.hubc_broken'::regclass, 'hub_one.of_broken'::regclass);
"""

DEFINITIONS = f"""
CREATE VIEW hub_one.berlin AS SELECT {instant("Europe/Berlin")} AS at FROM hub_one.message;
CREATE VIEW hub_one.plain AS SELECT msg_id FROM hub_one.message;
CREATE VIEW hub_one.rome AS SELECT {instant("Europe/Rome")} AS at FROM hub_one.message;
CREATE VIEW hub_one.earlier AS SELECT timezone('Europe/Berlin', at) AS at FROM hub_one.message;
CREATE VIEW hub_one.not_asked AS SELECT timezone('Europe/Rome', at) AS at FROM hub_one.message;
CREATE VIEW other.elsewhere AS SELECT timezone('Europe/Rome', at) AS at FROM other.message;
CREATE FUNCTION hub_one.f_plain() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;
CREATE FUNCTION hub_one.f_berlin() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN new.at := {instant("Europe/Berlin")}; RETURN new; END $$;
CREATE FUNCTION hub_one.f_rome() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN new.at := {instant("Europe/Rome")}; RETURN new; END $$;
CREATE FUNCTION hub_one.f_not_asked() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN new.at := {instant("Europe/Rome")}; RETURN new; END $$;
CREATE FUNCTION other.f_elsewhere() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN new.at := {instant("Europe/Rome")}; RETURN new; END $$;
"""

TRIGGERS = """
CREATE FUNCTION hub_one.nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$;
CREATE TRIGGER hubc_second AFTER INSERT ON hub_one.message EXECUTE FUNCTION hub_one.nothing();
CREATE TRIGGER hubc_first AFTER UPDATE ON hub_one.message EXECUTE FUNCTION hub_one.nothing();
CREATE TRIGGER hubc_off AFTER DELETE ON hub_one.message EXECUTE FUNCTION hub_one.nothing();
ALTER TABLE hub_one.message DISABLE TRIGGER hubc_off;
CREATE TRIGGER of_hub AFTER INSERT ON hub_one.message EXECUTE FUNCTION hub_one.nothing();
CREATE TRIGGER hubc_elsewhere AFTER INSERT ON other.message EXECUTE FUNCTION hub_one.nothing();
"""

SCHEMAS = """
CREATE SCHEMA hub_three;
CREATE TABLE hub_three.message (msg_id int, correlation_id int) PARTITION BY LIST (msg_id);
CREATE SCHEMA without_key;
CREATE TABLE without_key.message (id int, correlation_id int);
CREATE SCHEMA without_correlation;
CREATE TABLE without_correlation.message (msg_id int, correlation int);
CREATE SCHEMA of_view;
CREATE VIEW of_view.message AS SELECT 1 AS msg_id, 2 AS correlation_id;
CREATE SCHEMA of_another_name;
CREATE TABLE of_another_name.messages (msg_id int, correlation_id int);
CREATE TEMPORARY TABLE message (msg_id int, correlation_id int);
CREATE SCHEMA of_dropped;
CREATE TABLE of_dropped.message (msg_id int, correlation_id int, service_name text);
ALTER TABLE of_dropped.message DROP COLUMN service_name;
"""

OWN_TABLES = """
CREATE TABLE hub_one.archive_second (a int);
CREATE TABLE hub_one.archive_first (a int);
CREATE TABLE hub_one.of_hub (a int);
CREATE TABLE hub_one.archive_marked_otherwise (a int);
CREATE TABLE other.archive_elsewhere (a int);
CREATE VIEW hub_one.archive_view AS SELECT 1 AS a;
COMMENT ON TABLE hub_two.archive IS 'ours';
COMMENT ON TABLE hub_one.archive_second IS 'ours';
COMMENT ON TABLE hub_one.archive_first IS 'ours';
COMMENT ON TABLE hub_one.archive_marked_otherwise IS 'theirs';
COMMENT ON COLUMN hub_one.of_hub.a IS 'ours';
COMMENT ON TABLE other.archive_elsewhere IS 'ours';
COMMENT ON VIEW hub_one.archive_view IS 'ours';
"""


def run(*scripts: str) -> None:
    with connection.cursor() as cursor:
        for script in scripts:
            cursor.execute(script)


class TestIndexes:
    def test_that_are_obsolete_are_incomplete_or_have_times_of_another_zone_or_version(self):
        run(TABLES, INDEXES)
        asked = {"schemas": ["hub_one", "hub_two"], "time": BERLIN}
        assert statements.fetch_rows("obsolete_indexes", asked) == [
            ("hub_one.hubc_both",),
            ("hub_one.hubc_rome",),
            ("hub_two.hubc_broken",),
            ("hub_two.hubc_earlier",),
        ]

    def test_of_the_console_have_its_prefix_and_are_in_the_schemas(self):
        run(TABLES, INDEXES)
        assert statements.fetch_rows("own_indexes", {"schemas": ["hub_one", "hub_two"]}) == [
            ("hub_one.hubc_berlin", "hubc_berlin"),
            ("hub_one.hubc_both", "hubc_both"),
            ("hub_one.hubc_plain", "hubc_plain"),
            ("hub_one.hubc_rome", "hubc_rome"),
            ("hub_two.hubc_broken", "hubc_broken"),
            ("hub_two.hubc_earlier", "hubc_earlier"),
        ]


def test_obsolete_definitions_are_the_named_ones_with_times_of_another_zone_or_version():
    run(TABLES, DEFINITIONS)
    asked = {
        "schema": "hub_one",
        "views": ["berlin", "plain", "rome", "earlier", "elsewhere", "message"],
        "functions": ["f_plain", "f_berlin", "f_rome", "f_elsewhere"],
        "time": BERLIN,
    }
    assert sorted(statements.fetch_rows("obsolete_definitions", asked)) == [
        ("earlier",),
        ("f_rome",),
        ("rome",),
    ]


def test_triggers_of_the_console_have_its_prefix_and_are_on_and_in_the_schema():
    run(TABLES, TRIGGERS)
    assert statements.fetch_rows("own_triggers", {"schema": "hub_one"}) == [("hubc_first",), ("hubc_second",)]


def test_schemas_of_hubs_have_a_table_with_its_columns_and_without_those_of_the_console():
    before = statements.fetch_rows("hub_schemas", {})
    run(TABLES, SCHEMAS)
    assert [row for row in statements.fetch_rows("hub_schemas", {}) if row not in before] == [
        ("hub_one",),
        ("hub_three",),
        ("of_dropped",),
    ]


def test_tables_of_the_console_have_its_mark_and_are_in_the_schemas():
    run(TABLES, OWN_TABLES)
    asked = {"schemas": ["hub_one", "hub_two"], "mark": "ours"}
    assert statements.fetch_rows("own_tables", asked) == [
        ("hub_one.archive_first", True),
        ("hub_one.archive_second", True),
        ("hub_two.archive", True),
    ]


def test_figures_of_tables_are_in_the_order_in_which_they_were_asked_for():
    run(TABLES, "INSERT INTO hub_two.archive SELECT generate_series(1, 2000)", "ANALYZE hub_two.archive")
    asked = {"schemas": ["hub_two", "other", "hub_one"], "tables": ["archive", "archive", "message"]}
    first, second = statements.fetch_rows("table_figures", asked)
    assert first[:3] == ("hub_two", "archive", 2000)
    assert first[3] > 2000 * 24
    assert second == ("hub_one", "message", None, 0)


def test_missing_privileges_are_found_on_schemas_tables_and_columns():
    run(TABLES, "CREATE ROLE asking; GRANT USAGE ON SCHEMA hub_one TO asking")
    run("GRANT SELECT, UPDATE (at) ON hub_one.message TO asking")
    asked = [
        ("hub_one", "", "USAGE", ""),
        ("hub_one", "", "CREATE", ""),
        ("hub_two", "", "USAGE", ""),
        ("hub_one", "message", "SELECT", ""),
        ("hub_one", "message", "DELETE", ""),
        ("hub_one", "message", "UPDATE", "at"),
        ("hub_one", "message", "UPDATE", "at,msg_id"),
        ("other", "message", "SELECT", ""),
    ]
    names = ("schemas", "tables", "words", "columns")
    values = dict(zip(names, map(list, zip(*asked, strict=True)), strict=True))
    lacking = statements.fetch_rows("missing_privileges", values | {"role": "asking"})
    assert lacking == [(1,), (2,), (4,), (6,), (7,)]
    assert statements.fetch_rows("missing_privileges", values | {"role": None}) == []
