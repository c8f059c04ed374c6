"""
Erasure of all data about one subject, by a key that names it, from the hub's and the console's tables.

keys              the key, and how each place writes it
run, journal      one run with its counts, and the file of erased rows for restored backups
rows              the rows of messages, live and archived
messages          the messages of a key, and those of them that may go
exports           the files of export jobs
archive_files     the Parquet archive
document_history, message_store, cp_queue
                  the other stores, which name these modules in their registrations
services          a complete run over all stores
parameters        filters and notes of users
incidents         texts of incidents and deployments
replay            the rows and files of the journal, again, after a backup was restored

Source: docs/contributing/spec/promises.md, S-57, I-62; docs/contributing/decisions/0017-subject-erasure.md.
"""
