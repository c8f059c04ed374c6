-- One row: the numbers of times that failures were counted, and that of them which the rule has read. The first pass
-- stores since when failures are counted.
INSERT INTO incident_pass AS known (id, counted, gathered)
VALUES (1, 0, 0)
ON CONFLICT (id) DO UPDATE SET gathered = known.gathered
RETURNING counted, gathered
