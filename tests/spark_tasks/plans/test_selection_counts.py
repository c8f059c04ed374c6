from messages_app.shared.job_states import ChunkContent
from spark_tasks.plans.selection import count_plan, report_of

MESSAGES, REQUESTS = ChunkContent.MESSAGES.value, ChunkContent.ORPHAN_REQUESTS.value


class TestCountPlan:
    def test_counts_messages_by_state_and_reason_and_takes_the_first_ids(self):
        plan = [(MESSAGES, 1, number, "OK", None) for number in range(12, 0, -1)]
        plan += [(MESSAGES, 20, 20, "FAILED", "family_not_final"), (MESSAGES, 20, 21, "OK", "too_young")]
        plan += [(REQUESTS, 30, 30, None, None)]
        assert report_of(dict(count_plan(plan))) == {
            "planned": 14,
            "by_state": {"OK": 13, "FAILED": 1},
            "skipped": {"family_not_final": 1, "too_young": 1},
            "samples": list(range(1, 11)),
        }

    def test_of_nothing_is_nothing(self):
        assert report_of(dict(count_plan([]))) == {
            "planned": 0,
            "by_state": {},
            "skipped": {},
            "samples": [],
        }
