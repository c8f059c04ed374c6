"""
Databases of earlier versions, and that this version upgrades them.

`0046_schedules_task.sql.gz` is the output of `pg_dump --no-owner --column-inserts`, without psql's own
commands. Commit a9ef993 had migrated the database, which had at least one row in each table.
"""
