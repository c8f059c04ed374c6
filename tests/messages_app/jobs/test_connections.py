"""Tasks of Spark reach the database with the parameters of the addresses in the environment."""

import json

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.hubconsole.test_settings import KEY, start

SHOWN = """
import json
from messages_app.jobs.connections import database_dsn, own_dsn
print(json.dumps([database_dsn(), own_dsn()]))
"""
WEB = "postgresql://web:one@db.example.org:5433/hub"
SPARK = "postgresql://spark:two@db.example.org:5433/hub"
PARAMETERS = (
    "?sslmode=verify-full&sslrootcert=/etc/ca.pem&options=-c%20search_path%3Dconsole&assume_role=other"
)


def addresses(**environment: str) -> list[dict]:
    known = {"DJANGO_SETTINGS_MODULE": "hubconsole.settings", "DJANGO_SECRET_KEY": KEY}
    ended = start(SHOWN, **known | environment)
    return [conninfo_to_dict(dsn) for dsn in json.loads(ended.stdout)]


@pytest.mark.parametrize("process", ["web", "spark-worker"])
def test_the_parameters_of_the_address_are_kept(process: str):
    expected = {
        **{"host": "db.example.org", "port": "5433", "dbname": "hub", "user": "web", "password": "one"},
        **{"sslmode": "verify-full", "sslrootcert": "/etc/ca.pem", "options": "-c search_path=console"},
        "client_encoding": "UTF8",
    }
    assert addresses(DATABASE_URL=WEB + PARAMETERS, HUBCONSOLE_PROCESS=process) == [expected, expected]


def test_the_address_of_spark_has_its_own_parameters():
    spark, own = addresses(DATABASE_URL=WEB, HUBCONSOLE_SPARK_DATABASE_URL=SPARK + PARAMETERS)
    assert (spark["user"], spark["sslmode"], spark["options"]) == (
        "spark",
        "verify-full",
        "-c search_path=console",
    )
    assert own.keys() == {"host", "port", "dbname", "user", "password", "options", "client_encoding"}


def test_both_addresses_find_the_schema_of_an_attached_console():
    spark, own = addresses(
        DATABASE_URL=WEB, HUBCONSOLE_SPARK_DATABASE_URL=SPARK + "?options=-c%20work_mem%3D8MB"
    )
    # The console's schema, which exists on an attached hub only.
    assert spark["options"] == '-c search_path=hubconsole,"$user",public -c work_mem=8MB'
    assert own["options"] == '-c search_path=hubconsole,"$user",public'
