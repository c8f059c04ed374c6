"""
Every write to jobs on behalf of an operator: create, steer, approve, undo, retry.

Source: docs/contributing/spec/design.md, "Jobs"; docs/contributing/spec/promises.md, I-27, I-31.
"""
