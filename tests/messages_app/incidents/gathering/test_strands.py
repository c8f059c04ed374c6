"""A sender is the cause if its share of the failures is higher than that of the traffic."""

from messages_app.incidents.gathering.records import Key, Reason
from messages_app.incidents.gathering.strands import has_same_times
from tests.messages_app.incidents.gathering.small_hub import NOW, TIMED_OUT, SmallHub, list_texts, make_cell

WRONG = "Das Feld Lieferdatum fehlt"
OUTAGE = range(601, 661)
BOTH = {"WEB": 5, "CRM": 5}


class TestSender:
    def test_with_wrong_data_in_two_services_is_one_incident(self):
        hub = SmallHub(senders=BOTH)
        for service in ("billing", "order"):
            hub.fail(make_cell(service, WRONG, sender="CRM"), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.key == Key(sender="CRM", text="das feld lieferdatum fehlt")
        assert (cluster.count, {member.reason for member in cluster.members}) == (120, {Reason.SENDER})

    def test_with_two_texts_is_one_incident(self):
        hub = SmallHub(senders=BOTH)
        hub.fail(make_cell("billing", WRONG, sender="CRM"), OUTAGE)
        hub.fail(make_cell("order", "Ungültige Postleitzahl", sender="CRM"), OUTAGE)
        (cluster,) = hub.gather()
        assert (cluster.key, cluster.count) == (Key(sender="CRM"), 120)

    def test_leaves_out_others_that_fail_with_the_same_text(self):
        hub = SmallHub(senders=BOTH)
        hub.fail(make_cell("billing", WRONG, sender="CRM"), OUTAGE)
        hub.fail(make_cell("billing", WRONG, sender="WEB"), [100, 500, 630, 900])
        (cluster,) = hub.gather()
        assert {member.cell.sender for member in cluster.members} == {"CRM"}

    def test_is_not_the_cause_if_it_sends_nearly_everything(self):
        hub = SmallHub(senders={"CRM": 99, "WEB": 1})
        hub.fail(make_cell("billing", WRONG, sender="CRM"), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.key == Key(service="billing", text="das feld lieferdatum fehlt")

    def test_that_sends_nearly_everything_is_the_cause_if_two_services_reject_its_data_together(self):
        hub = SmallHub(senders={"CRM": 99, "WEB": 1})
        hub.fail(make_cell("billing", WRONG, sender="CRM"), OUTAGE)
        hub.fail(make_cell("order", "Ungültige Postleitzahl", sender="CRM"), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.key.sender == "CRM"

    def test_is_not_the_cause_if_others_fail_more_than_usual_too(self):
        hub = SmallHub(senders=BOTH)
        hub.fail(make_cell("billing", WRONG, sender="CRM"), OUTAGE, 9)
        hub.fail(make_cell("billing", WRONG, sender="WEB"), OUTAGE)
        (cluster,) = hub.gather()
        assert (cluster.key.sender, cluster.count) == ("", 600)

    def test_is_not_the_cause_if_a_quarter_of_the_failures_are_the_usual_ones_of_others(self):
        hub = SmallHub(senders=BOTH)
        hub.fail(make_cell("billing", WRONG, sender="CRM"), OUTAGE, 16)
        hub.fail(make_cell("billing", WRONG, sender="WEB"), range(1, NOW + 1), 5)
        (cluster,) = hub.gather()
        assert (cluster.key.sender, cluster.count) == ("", 21 * len(OUTAGE))

    def test_is_not_the_cause_of_a_system_that_is_down(self):
        hub = SmallHub(senders=BOTH)
        hub.fail(make_cell("billing", TIMED_OUT, sender="CRM"), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.key.sender == ""

    def test_has_a_few_failures_in_a_third_service(self):
        hub = SmallHub(senders=BOTH)
        for service in ("billing", "order"):
            hub.fail(make_cell(service, WRONG, sender="CRM"), OUTAGE)
        hub.fail(make_cell("stock", WRONG, sender="CRM"), [620, 640])
        hub.fail(make_cell("stock", WRONG, sender="WEB"), [630])
        (cluster,) = hub.gather()
        assert cluster.count == 122

    def test_has_no_failures_of_a_text_that_is_usual_elsewhere(self):
        hub = SmallHub(senders=BOTH)
        for service in ("billing", "order"):
            hub.fail(make_cell(service, WRONG, sender="CRM"), OUTAGE)
        hub.fail(make_cell("stock", WRONG, sender="CRM"), range(7, 1441, 60))
        (cluster,) = hub.gather()
        assert ("stock", WRONG) not in list_texts(cluster)


class TestNewTexts:
    def fail_release(self, hub, rare_minutes):
        hub.fail(make_cell("billing", "class A cannot be cast to class B"), OUTAGE)
        for minute in rare_minutes:
            name = "".join(chr(97 + int(digit)) for digit in str(minute))
            hub.fail(make_cell("billing", f"Kalo {name} gaf osu"), [minute])

    def test_that_are_rare_are_left_out_if_others_come_all_day(self):
        hub = SmallHub()
        self.fail_release(hub, range(150, 1441, 100))
        (cluster,) = hub.gather()
        assert cluster.count == 60

    def test_that_are_rare_belong_if_they_are_many(self):
        hub = SmallHub()
        self.fail_release(hub, [*range(150, 1441, 100), *range(601, 660, 3)])
        (cluster,) = hub.gather()
        assert cluster.count == 81


class TestTimes:
    def test_are_the_same_if_both_begin_and_end_together(self):
        assert has_same_times(dict.fromkeys(range(100, 150), 1), dict.fromkeys(range(102, 148), 2), 4)

    def test_differ_if_one_began_long_before(self):
        assert not has_same_times(dict.fromkeys(range(100, 150), 1), dict.fromkeys(range(125, 150), 1), 4)

    def test_differ_if_one_lasted_longer(self):
        assert not has_same_times(dict.fromkeys(range(100, 150), 1), dict.fromkeys(range(100, 125), 1), 4)

    def test_of_a_few_failures_agree_with_any_range_around_them(self):
        assert has_same_times(dict.fromkeys(range(100, 150), 1), {110: 1, 120: 1}, 4)
