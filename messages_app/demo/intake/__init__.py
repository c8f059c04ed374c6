"""The demo's intake of business documents: each is stored as a message once, however often it is sent."""
