"""
Processors of the message store: they create work in another store after the records of a message are written.

Source definitions name them. They are a layer of their own, because stores do not import each other.
"""
