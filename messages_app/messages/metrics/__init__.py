"""Counts of messages by minute and what tells them apart: docs/decisions/0008-rollups.md."""
