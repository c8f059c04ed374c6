from tests.messages_app.incidents.gathering.small_hub import BANK, NOW, SmallHub, make_cell

CRM = "crm.example"
OF_CRM = "Connection refused by crm.example"
UNKNOWN = "Der Vorgang wurde abgebrochen"
FIRST, SECOND = range(901, 961), range(951, 1021)


def count_incidents(hub: SmallHub) -> dict[str, int]:
    return {cluster.key.system: cluster.count for cluster in hub.gather()}


class TestTwoSystemsWithOneText:
    def test_have_the_minutes_in_which_only_one_of_them_is_down(self):
        hub = SmallHub()
        hub.fail(make_cell(system=BANK), FIRST, 2)
        hub.fail(make_cell(text=OF_CRM, system=CRM), SECOND, 2)
        hub.fail(make_cell(text=UNKNOWN), range(901, 1021))
        counts = count_incidents(hub)
        assert counts.keys() == {BANK, CRM}
        assert counts[BANK] + counts[CRM] == 120 + 140 + 120
        assert 120 + 50 <= counts[BANK] <= 120 + 60
        assert 140 + 60 <= counts[CRM] <= 140 + 70

    def test_leave_out_a_text_of_other_times(self):
        hub = SmallHub()
        hub.fail(make_cell(system=BANK), FIRST, 2)
        hub.fail(make_cell(text=OF_CRM, system=CRM), SECOND, 2)
        hub.fail(make_cell(text=UNKNOWN), range(850, 1101))
        assert count_incidents(hub) == {BANK: 120, CRM: 140, "": 251}


class TestTextWithoutACall:
    def test_is_another_cause_if_calls_name_the_system_of_all_other_failures(self):
        hub = SmallHub()
        hub.fail(make_cell(text="No answer in time", system=BANK), FIRST, 2)
        hub.fail(make_cell(text=UNKNOWN), FIRST)
        assert count_incidents(hub) == {BANK: 120, "": 60}

    def test_belongs_to_the_system_if_others_have_no_call_either(self):
        hub = SmallHub()
        hub.fail(make_cell(text="No answer in time", system=BANK), FIRST, 2)
        hub.fail(make_cell(text="No answer in time"), FIRST)
        hub.fail(make_cell(text=UNKNOWN), FIRST)
        assert count_incidents(hub) == {BANK: 240}


def test_a_new_text_of_wrong_data_in_calls_of_a_system_belongs_to_its_outage():
    hub = SmallHub()
    hub.fail(make_cell(system=BANK), FIRST, 2)
    hub.fail(make_cell(text="Value of field amount is missing", system=BANK), FIRST)
    assert count_incidents(hub) == {BANK: 180}


def test_other_texts_of_a_system_shortly_before_its_outage_are_strangers():
    hub = SmallHub()
    hub.fail(make_cell(system=BANK), range(901, 904), 12)
    # Every 40 minutes, and more often before the outage at random.
    hub.fail(make_cell(text="No answer in time", system=BANK), range(20, NOW, 40))
    hub.fail(make_cell(text="No answer in time", system=BANK), range(884, 900, 3))
    assert count_incidents(hub) == {BANK: 36}
