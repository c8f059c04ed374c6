"""Reads the SQL of this folder."""

from messages_app.statements import Statements

statement = Statements(__name__)
