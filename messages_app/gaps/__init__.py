"""
What trigger functions could not note: counted where it happens, told by `doctor`, closed by `rebuild_counts`.

Source: docs/decisions/0023-nothing-fails-the-hub.md.
"""
