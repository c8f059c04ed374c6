"""The pages and the API of notes."""
