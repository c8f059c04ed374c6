"""
A column of `message` that the product does not have, as docs/recipes.md, "Add a column of the message", adds one.

tests/messages_app/messages/test_fields.py runs everywhere.py in a process with the settings of this package.
"""
