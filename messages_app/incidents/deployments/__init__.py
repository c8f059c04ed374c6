"""Releases of services, as deployment pipelines report them: an incident shows those just before it began."""
