-- Written with every call of the API, and worthless after a crash.
ALTER TABLE request_window SET UNLOGGED;
