"""
A column of `message` that the product does not have, added as docs/contributing/recipes.md says.

tests/messages_app/messages/test_fields.py runs everywhere.py in a process with the settings of this package.
"""
