from messages_app.service_map.drawing import draw_picture
from messages_app.service_map.flows import Edge, Node, Tone


def edge(service: str, system: str, calls: int) -> Edge:
    return Edge(service=service, system=system, calls=calls, failed=0, tone=Tone.QUIET)


class TestDrawPicture:
    def test_draws_an_edge_as_wide_as_its_share_of_the_largest_node(self):
        nodes = [Node(name="a", flow=75), Node(name="b", flow=25)]
        picture = draw_picture(nodes, [Node(name="x", flow=100)], [edge("a", "x", 75), edge("b", "x", 25)])
        assert [(curve.edge.service, curve.width) for curve in picture.curves] == [("a", 21.0), ("b", 7.0)]
        assert picture.height == 72

    def test_keeps_a_small_flow_visible(self):
        nodes = [Node(name="a", flow=100_000), Node(name="b", flow=1)]
        picture = draw_picture(
            nodes, [Node(name="x", flow=100_001)], [edge("a", "x", 100_000), edge("b", "x", 1)]
        )
        assert picture.curves[1].width == 1.5

    def test_draws_from_the_middle_of_a_service_to_the_middle_of_a_system(self):
        picture = draw_picture([Node(name="a", flow=1)], [Node(name="x", flow=1)], [edge("a", "x", 1)])
        assert picture.curves[0].path == "M0 18.0C50 18.0 50 18.0 100 18.0"

    def test_places_edges_of_one_node_next_to_each_other(self):
        systems = [Node(name="x", flow=50), Node(name="y", flow=50)]
        picture = draw_picture([Node(name="a", flow=100)], systems, [edge("a", "y", 50), edge("a", "x", 50)])
        starts = {curve.edge.system: float(curve.path.split()[1].split("C")[0]) for curve in picture.curves}
        assert starts == {"x": 29.0, "y": 43.0}

    def test_is_the_same_for_the_same_nodes_whatever_the_order_of_the_flows(self):
        services, systems = [Node(name="a", flow=3), Node(name="b", flow=4)], [Node(name="x", flow=7)]
        edges = [edge("a", "x", 3), edge("b", "x", 4)]
        assert draw_picture(services, systems, edges) == draw_picture(services, systems, edges[::-1])

    def test_has_no_height_without_nodes(self):
        assert draw_picture([], [], []).height == 0
