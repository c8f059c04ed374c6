import pytest

from messages_app.core.addresses import _is_near

JOBS = "api/v1/jobs/"


@pytest.mark.parametrize(
    ("known", "route", "expected"),
    [
        (JOBS, JOBS, False),
        (f"{JOBS}<int:job_id>/", JOBS, True),
        (JOBS, f"{JOBS}<int:job_id>/", True),
        (f"{JOBS}<int:job_id>/stop/", JOBS, True),
        (f"{JOBS}<int:job_id>/items/export/", JOBS, False),
        (JOBS, f"{JOBS}<int:job_id>/items/export/", False),
        ("api/v1/messages/", f"{JOBS}<int:job_id>/", False),
        ("api/v1/", JOBS, False),
        (JOBS, "api/v1/", False),
    ],
)
def test_another_address_is_near_up_to_two_parts_below_or_above(known, route, expected):
    assert _is_near(known, route) is expected
