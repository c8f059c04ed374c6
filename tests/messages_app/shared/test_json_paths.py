import pytest

from messages_app.shared.json_paths import compile_json_path
from messages_app.shared.xml_paths import BadPath


class TestCompileJsonPath:
    @pytest.mark.parametrize("path", ["$", "$.", "$.a[", "$..*", "$.a b", "$..a..b..c", "$" + ".a" * 200])
    def test_refuses_paths_that_are_not_supported(self, path):
        with pytest.raises(BadPath):
            compile_json_path(path)

    def test_yields_only_texts(self):
        root = {"a": [{"b": "1"}, {"b": None}, {"b": ["2"]}, "3"]}
        assert list(compile_json_path("$.a[*].b")(root)) == ["1"]
