"""
Every write to the message store: intake, attempts, the monitor, actions of operators, definitions.

Source: docs/contributing/spec/message_store.md.
"""
