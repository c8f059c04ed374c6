"""
A small client of the CP queue: polls the API, runs a command or a callable, dispatches.

Imports nothing of Django, and nothing but Python's own library: a service may copy this folder.
"""
