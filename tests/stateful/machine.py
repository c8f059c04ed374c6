"""Machines of hypothesis on the real database: each of their stories is undone when it ends."""

from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

SHORT = settings(
    max_examples=12,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


class StoredMachine(RuleBasedStateMachine):
    """A machine whose every story begins with the tables as they were."""

    def __init__(self) -> None:
        super().__init__()
        self._story = transaction.atomic()
        self._story.__enter__()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self._story.__exit__(None, None, None)


def check(machine: type[StoredMachine]) -> None:
    """Let hypothesis look for a story in which the tables and the model differ."""
    run_state_machine_as_test(machine, settings=SHORT)
