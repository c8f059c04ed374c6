"""The room's pages: queues, services, messages, objects, the log, the next pickup, creating and resetting."""
