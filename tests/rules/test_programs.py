import pytest

from tests.rules.programs import find_stale_names, list_modules


def test_programs_in_strings_of_tests_import_what_exists():
    stale = {
        str(path): names
        for path in list_modules()
        if path.name != "test_programs.py" and (names := list(find_stale_names(path.read_text())))
    }
    assert stale == {}


@pytest.mark.parametrize(
    ("program", "stale"),
    [
        ("from spark_tasks.database import connect", ["spark_tasks.database.connect"]),
        ("from spark_tasks.database import connect_to_database", []),
        ("from spark_tasks import database\\ndatabase.connect()", ["spark_tasks.database.connect"]),
        ("from spark_tasks.no_such import connect_to_database", ["spark_tasks.no_such.connect_to_database"]),
        ("from json import no_such", []),
        ("You must import a file from Parquet", []),
    ],
)
def test_a_name_that_does_not_exist_is_found(program, stale):
    assert list(find_stale_names(f'TASK = """{program}"""')) == stale
