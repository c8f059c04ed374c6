"""The answers of several documents: each has its own, until the history is lost."""

from messages_app.document_history.services.errors import HistoryUnavailable, LeaseLost, answer_each


class TestAnswerEach:
    def test_returns_a_refusal_in_place_of_its_answer(self):
        refusal = LeaseLost("The token does not belong to this document.")

        def act(place: int) -> str:
            if place == 1:
                raise refusal
            return f"answer {place}"

        assert answer_each([2, 1, 0], act, (LeaseLost,)) == {2: "answer 2", 1: refusal, 0: "answer 0"}

    def test_does_not_ask_a_lost_history_again(self):
        asked, lost = [], HistoryUnavailable("The history is down.")

        def act(place: int) -> str:
            asked.append(place)
            if place == 1:
                raise lost
            return "answer"

        assert answer_each([0, 1, 2, 3], act, ()) == {0: "answer", 1: lost, 2: lost, 3: lost}
        assert asked == [0, 1]
