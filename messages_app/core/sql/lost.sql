-- One row: the number of gaps that could not be written as a row, and how many of these are closed.
SELECT lost_trigger_gaps(), coalesce((SELECT rows FROM rollup_pass WHERE name = 'lost_gaps'), 0)
