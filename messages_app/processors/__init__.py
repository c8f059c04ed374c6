"""
What a store message may lead to in another room once its records are written.

Processors of the message store, each registered by a name that source definitions give; a layer of its own,
as rooms do not import each other.
"""
