class TestDocsPage:
    def test_shows_and_tries_a_call_with_nothing_inline(self, window):
        window.log_in("support")
        answer = window.page.goto("/api/v1/docs/", wait_until="networkidle")
        assert "unsafe" not in answer.headers["content-security-policy"]
        window.page.locator(".opblock-get .opblock-summary-control").first.click()
        window.page.get_by_role("button", name="Try it out").first.click()
        window.page.get_by_role("button", name="Execute").first.click()
        window.page.locator(".live-responses-table .response-col_status").first.wait_for()
        assert not window.complaints
