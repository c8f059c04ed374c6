"""
A small client of the CP queue: polls the API, runs a command or a callable, dispatches.

Imports only Python's standard library, so that a service may copy this folder.
"""
