"""
Failures that people deal with: groups that last, and what is known of error codes.

Source: docs/decisions/0009-failure-groups.md.
"""
