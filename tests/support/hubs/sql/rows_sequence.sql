-- One sequence gives the ids of all tables.
SELECT setval('hibernate_sequence', 1000);
