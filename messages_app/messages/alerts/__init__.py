"""
Watch rules: they are checked every 15 seconds, open and close alerts, and notify people and programs.

states, models, services  as in every store
checks                    measures each rule, and opens and closes its alert
notices                   sends the notices of alerts, by email and to webhooks
views, forms, api         the pages and the API
Source: docs/contributing/decisions/0010-watch-rules.md; docs/contributing/spec/cleverbus.md, "Built-in
alert".
"""
