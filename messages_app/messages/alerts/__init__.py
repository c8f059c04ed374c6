"""
Rules that are checked by the clock, the alerts that they open and close, and who is told.

states, models, services    as every room has them
measuring                   what a rule's number is now
checking                    opens and closes alerts
notices, webhook, reach     tells people and programs, these where they may be reached
queries                     what is open, and what was
views, forms, words, frame  the pages, and the way between them
Source: docs/decisions/0010-watch-rules.md; docs/spec/cleverbus.md, "Built-in alert".
"""
