from messages_app.messages.list.histogram import from_ground


class TestFromGround:
    def test_has_failures_at_the_ground_and_ok_at_the_top(self):
        states = ["OK", "odd", "CANCEL", "WAITING", "PARTLY_FAILED", "FAILED"]
        assert sorted(states, key=from_ground) == [
            "FAILED",
            "PARTLY_FAILED",
            "WAITING",
            "odd",
            "CANCEL",
            "OK",
        ]
