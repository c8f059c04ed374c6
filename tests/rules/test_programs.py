import pytest

from spark_tasks import database
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
        ("from {module} import connect", ["connect"]),
        ("from {module} import connect_to_database", []),
        ("from {package} import database\\ndatabase.connect()", ["connect"]),
        ("from {module}.no_such import connect_to_database", ["no_such.connect_to_database"]),
        ("from json import no_such", []),
        ("You must import a file from Parquet", []),
    ],
)
def test_a_name_that_does_not_exist_is_found(program, stale):
    text = program.format(module=database.__name__, package=database.__package__)
    assert list(find_stale_names(f'TASK = """{text}"""')) == [f"{database.__name__}.{name}" for name in stale]
