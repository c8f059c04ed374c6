"""
Erasure of all data about one subject, by a key that names it, from the hub's and the console's tables.

keys              the key, and how each place writes it
run               one run: what it found, erased and left; the journal for restored backups
rows              the rows of messages, live and archived
messages          which messages a key finds, which of them may go, and the Parquet archive
document_history, message_store, cp_queue
                  the other stores, which name these modules in their registrations
services          a complete run over all stores, and over filters and notes of users
replay            the rows and files of the journal, again, after a backup was restored

Source: docs/contributing/spec/promises.md, S-57, I-62; docs/contributing/decisions/0017-subject-erasure.md.
"""
