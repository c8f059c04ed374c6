"""
Examples are drawn without the phase that traces the test to explain a failure.

Python 3.11 enters a traced function without end once an error for a thread was withdrawn, as time limits do
(messages_app/core/time_budget.py).
"""

import pytest
from hypothesis import Phase, settings


def pytest_configure(config: pytest.Config) -> None:
    settings.register_profile("untraced", phases=[phase for phase in Phase if phase is not Phase.explain])
    settings.load_profile("untraced")
