"""The demo's CP queue: what processed documents leave for an indexer and a rendition cache, and those two."""
