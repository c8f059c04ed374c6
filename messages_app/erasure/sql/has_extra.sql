-- One row: whether the archive tables of the attached hub lack columns, which the console keeps.
SELECT to_regclass('archive_extra') IS NOT NULL
