"""
Bulk jobs: frozen sets of rows, worked on by Spark, told row by row.

states, models, services, queries, tasks: as every room has them; a change asked for goes through services
asking       what may be asked: kinds, options, filters, rights
stores       the stores whose rows are items of jobs
previewing   what a job would do, within two seconds
changing     making, steering, undoing and repeating jobs
holding      who has a job: its lease, the bell for a worker, how it ends
worker       claims a job, plans it and runs its chunks; the sweeper
kinds        what is planned for, and done to, the items of each kind
guarding     canary, failure rate, room on the disk; the watcher
following    what became of the items since
exports      the files of export jobs
scheduling   jobs that are made by the clock
starting     the page of a new job, and of the archive
running      the page of a job, and its ledger
listing      the pages of jobs, and of their items
of_item      the jobs that had one item
showing      words and bars for all these pages
api          the same over REST
"""
