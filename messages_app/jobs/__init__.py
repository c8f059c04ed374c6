"""
Bulk jobs: frozen sets of rows, worked on by Spark, told row by row.

kinds        what each kind of job is: one record each
drivers      what is planned for, and done to, the items of each kind; loads Spark
stores       the stores whose rows are items of jobs
validation   what may be asked: filters, options, permissions
preview      what a job would do, within two seconds
services     making, steering, undoing and repeating jobs
engine       claims a job, plans it and runs its chunks; the sweeper and the watcher
safeguards   test batch, failure rate, room on the disk, approval
schedules    jobs that are made by the clock
exports      the files of export jobs
views, api   the pages, and the same over REST
"""
