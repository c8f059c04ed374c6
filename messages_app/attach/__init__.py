"""
Attaching to the tables of a hub that already runs.

layouts       the tables of each release of a hub
recognition   which release the tables in a schema are of, from the catalog

Source: docs/contributing/spec/hub_versions.md.
"""
