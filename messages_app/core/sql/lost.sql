-- One row: how many gaps could not be written as a row, and of these how many are closed.
SELECT lost_trigger_gaps(), coalesce((SELECT rows FROM rollup_pass WHERE name = 'lost_gaps'), 0)
