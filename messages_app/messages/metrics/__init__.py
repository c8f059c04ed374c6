"""Counts of messages by minute, state and source. Source: docs/decisions/0008-rollups.md."""
