import pytest

from messages_app.shared.xml_paths import BadPath, compile_xml_path


class TestCompileXmlPath:
    @pytest.mark.parametrize(
        "path",
        [
            "",
            "1",
            "//x[",
            "//a | //b",
            "count(//a)",
            "//s:a",
            "//a/following::b",
            "//a//b//c",
            "//a = //b",
            "//*[//a]",
            "//*[. = ../*]",
            "//*[/a]",
            "//*[a[b[c]]]",
            "document('http://example.org')",
            "$name",
            "x" * 301,
        ],
    )
    def test_refuses_paths_that_are_wrong_or_costly(self, path):
        with pytest.raises(BadPath):
            compile_xml_path(path)

    @pytest.mark.parametrize("path", ["//a//b", "//a[@x='//|::$']/b", "//a[contains(., 'x')][1]", "/a/../b"])
    def test_accepts_paths_whose_time_grows_with_the_payload(self, path):
        assert compile_xml_path(path)
