-- Notes that failures were counted.
INSERT INTO incident_pass AS known (id, counted, gathered)
VALUES (1, 1, 0)
ON CONFLICT (id) DO UPDATE SET counted = known.counted + 1
