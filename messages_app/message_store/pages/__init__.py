"""Pages of the message store, over queries and services."""
