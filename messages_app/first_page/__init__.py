"""
What is wrong now, since when, and what to do: of all rooms, by counts that they keep.

tiles       the numbers of the dashboard, each failing alone
handover    what happened since a time
metrics     the same for Prometheus
failures_api, watching_api, api    these over REST
"""
