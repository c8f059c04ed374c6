-- Messages that the triggers did not see are not counted until the next recount.
DELETE FROM rollup_pass WHERE name = 'recount'
