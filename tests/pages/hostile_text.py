"""Markup that pages must never run."""

# Stored values that a page must show as text: if executed or rendered, the browser would complain.
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg onload=alert(3)>"
