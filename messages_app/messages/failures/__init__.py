"""
Groups of failures with the same cause, and the catalogue of error codes.

Source: docs/contributing/decisions/0009-failure-groups.md.
"""
