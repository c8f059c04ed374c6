from messages_app.demo import failures
from messages_app.demo.failures import choose_retried_failure, failed_desc, failed_reason
from messages_app.demo.world import make_dice


class TestFailedDesc:
    def test_begins_with_code_text_and_cause_followed_by_the_stack(self):
        text = failed_desc(failures.TIMEOUT, service="billing", random=make_dice(1))
        first, _, rest = text.partition("\n")
        assert first == (
            "E103: I/O error during communication with target system "
            "(java.net.SocketTimeoutException: Read timed out)"
        )
        assert "\tat com.example.hub.billing.BillingRoute" in rest


class TestFailedReason:
    def test_is_only_the_stack(self):
        text = failed_reason(failures.TIMEOUT, service="billing", random=make_dice(1))
        assert text.startswith("org.apache.camel.")


class TestRetriedFailure:
    def test_is_never_fatal(self):
        random = make_dice(1)
        assert not any(choose_retried_failure(random).is_fatal for _ in range(200))
