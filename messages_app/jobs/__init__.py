"""
Bulk jobs: frozen sets of rows that Spark processes, with an outcome for each row.

kinds        what each kind of job is: one record each
drivers      what Spark plans for the items of each kind, and does to them; loads Spark
stores       the stores whose rows are items of jobs
permissions  who may create, steer and approve jobs
validation   checks of filters and options; errors: those of calls
preview      what a job would do, within two seconds
services     creating, steering, undoing and retrying jobs
leases       the lease that a worker holds on its job
engine       claims a job, plans it and runs its chunks; the sweeper and the watcher
safeguards   test batch, failure rate, disk space, approval
schedules    recurring jobs
exports      the files of export jobs; export_downloads: who gets them
views, api   the pages, and the same over REST
"""
