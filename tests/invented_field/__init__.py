"""
A column of `message` that the product does not have: what docs/recipes.md, "Add a column of the message", asks for.

tests/messages_app/messages/test_fields.py runs everywhere.py in a process with the settings of this package.
"""
