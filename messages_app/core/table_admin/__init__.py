"""
Read-only tables in Django's admin: Django's pages, with the console's lists behind them.

Nothing here counts, joins or uses OFFSET.

Source: docs/contributing/decisions/0021-the-admin-without-a-theme.md, "Tables of the hub".
"""
