"""
Deliveries to other programs and people: the notices of alerts, and the calls of webhooks.

attempts        the columns of a row that is sent, and the plan of its attempts
sending         sends a report in the format of a target
formats         the formats of webhooks, and the keys that they need
webhook_calls   which addresses may be called, and one call
signatures      the headers that sign a webhook
causes          why a receiver was not reached, in words
ssrf_guard      which IP addresses a webhook may reach
"""
