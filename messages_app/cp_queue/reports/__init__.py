"""Reports that the pages draw: the pace of queues, the outlook of a message. Called through queries.py."""
