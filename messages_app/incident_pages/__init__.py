"""Incidents on pages and over REST, with what other parts of the console know about them."""
