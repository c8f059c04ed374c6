"""
Erasing what the console and the hub hold of one subject, by a key that names it: an operator's command.

keys         the key, and how a place writes it
work         one run: what it found, erased and left; each step commits with its audit entry
journal      the list outside of the database, by which a restored backup is erased again
messages     which messages a key finds, and which of them may go
rows         the rows of messages, live and archived
parts        files of the Parquet archive, on Spark
exports      files of exports
documents    document history; cp_queue, stored: the other stores
parameters   jobs, schedules, saved views, answers, groups of failures
services     a whole run; again: after a backup was restored

Source: docs/spec/promises.md, S-57, I-62; docs/decisions/0017-subject-erasure.md.
"""
