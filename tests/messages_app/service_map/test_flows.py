import pytest

from messages_app.messages.call_counts.selectors import Flow
from messages_app.service_map.flows import (
    WINDOWS,
    Causes,
    Node,
    TimedFlow,
    Tone,
    choose_nodes,
    choose_tone,
    join_edges,
    mark_nodes,
)
from tests.support.factories import NOON


def flow(service: str, system: str, *, ok: int = 0, failed: int = 0, lately: int = 0) -> Flow:
    return Flow(
        service_name=service,
        external_system=system,
        succeeded=ok,
        failed=failed,
        failed_lately=lately,
        known_calls=ok + failed,
    )


PAIR = frozenset({("billing", "bank.example")})


class TestChooseTone:
    @pytest.mark.parametrize(
        ("failed", "lately", "causes", "tone"),
        [
            (0, 0, Causes(), Tone.QUIET),
            (9, 9, Causes(), Tone.QUIET),  # less than 1 %
            (10, 0, Causes(), Tone.NOTABLE),  # it does not fail now
            (10, 1, Causes(), Tone.ALARM),
            (10, 1, Causes(owned=PAIR), Tone.NOTABLE),
            (10, 0, Causes(unowned=PAIR), Tone.ALARM),
            (0, 0, Causes(unowned=PAIR), Tone.ALARM),
        ],
    )
    def test_is_red_only_for_what_fails_now_without_an_owner(self, failed, lately, causes, tone):
        one = flow("billing", "bank.example", ok=1000 - failed, failed=failed, lately=lately)
        assert choose_tone(one, causes) is tone


class TestChooseNodes:
    def test_adds_up_and_sorts_by_name(self):
        assert choose_nodes([("order", 3, 3), ("billing", 1, 9), ("order", 4, 4)]) == [
            Node(name="billing", flow=1),
            Node(name="order", flow=7),
        ]

    def test_keeps_the_busiest_and_joins_the_others_at_the_end(self):
        flows = [(f"s{number:02}", number, number) for number in range(50)]
        nodes = choose_nodes(flows, most=4)
        assert nodes == [
            Node(name="s47", flow=47),
            Node(name="s48", flow=48),
            Node(name="s49", flow=49),
            Node(name="", flow=sum(range(47)), others=47),
        ]

    def test_chooses_by_the_longest_time_whatever_time_is_shown(self):
        known = {"a": 9, "b": 8, "c": 7, "d": 6}
        for shown in ({"a": 0, "b": 0, "c": 5, "d": 9}, {"a": 5, "b": 1, "c": 0, "d": 0}):
            nodes = choose_nodes([(name, shown[name], known[name]) for name in known], most=3)
            assert [(node.name, node.flow) for node in nodes] == [
                ("a", shown["a"]),
                ("b", shown["b"]),
                ("", shown["c"] + shown["d"]),
            ]

    def test_shows_a_chosen_name_that_is_not_among_the_busiest(self):
        flows = [(name, calls, calls) for name, calls in (("a", 9), ("b", 8), ("c", 7), ("d", 6))]
        nodes = choose_nodes(flows, chosen="d", most=3)
        assert [node.name for node in nodes] == ["a", "d", ""]

    def test_joins_none_if_all_fit(self):
        assert [node.name for node in choose_nodes([("a", 1, 1), ("b", 2, 2)], most=2)] == ["a", "b"]


class TestJoinEdges:
    def test_adds_up_the_flows_of_others_with_the_most_urgent_colour(self):
        flows = [
            TimedFlow(flow=flow("a", "x", ok=5), tone=Tone.QUIET, durations=[(3, 5)]),
            TimedFlow(flow=flow("b", "x", ok=1, failed=1), tone=Tone.ALARM, durations=[(3, 2)]),
            TimedFlow(flow=flow("c", "x", ok=3), tone=Tone.QUIET),
        ]
        services = [Node(name="a", flow=5), Node(name="", flow=5, others=2)]
        systems = [Node(name="x", flow=10)]
        edges = join_edges(flows, services, systems)
        values = [(edge.service, edge.system, edge.calls, edge.failed, edge.tone) for edge in edges]
        assert values == [("a", "x", 5, 0, Tone.QUIET), ("", "x", 5, 1, Tone.ALARM)]
        assert [list(edge.durations) for edge in edges] == [[(3, 5)], []]


class TestMarkNodes:
    def test_gives_nodes_the_most_urgent_colour_of_their_edges(self):
        nodes = [Node(name="a", flow=1), Node(name="b", flow=1)]
        marked = mark_nodes(nodes, [("a", Tone.QUIET), ("a", Tone.ALARM), ("a", Tone.NOTABLE)])
        assert [node.tone for node in marked] == [Tone.ALARM, Tone.QUIET]

    def test_marks_nodes_without_a_shown_edge_if_others_are_left_out(self):
        nodes = [Node(name="a", flow=1), Node(name="b", flow=1)]
        ends = [("a", Tone.QUIET)]
        assert [node.is_chosen for node in mark_nodes(nodes, ends, is_narrowed=True)] == [True, False]
        assert [node.is_chosen for node in mark_nodes(nodes, ends)] == [True, True]


class TestWindow:
    def test_begins_at_a_full_hour_if_counts_are_by_hour(self):
        now = NOON.replace(minute=34, second=56)
        starts = {name: f"{window.find_start(now):%d %H:%M:%S}" for name, window in WINDOWS.items()}
        assert starts == {"1h": "01 11:34:00", "24h": "31 12:00:00", "7d": "25 12:00:00"}
