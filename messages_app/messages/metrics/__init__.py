"""Counts of messages by minute, state and source. Source: docs/contributing/decisions/0008-rollups.md."""
