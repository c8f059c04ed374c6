"""
Deliveries to other programs and people: the notices of alerts, and the calls of webhooks.

attempts        the columns of a row that is sent, and the plan of its attempts
webhook_calls   which addresses may be called, and one signed call
signatures      the headers that sign a webhook
causes          why a receiver was not reached, in words
ssrf_guard      which IP addresses a webhook may reach
"""
