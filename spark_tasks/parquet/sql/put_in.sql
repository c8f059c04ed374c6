-- One row per row of the file.
COPY {live} ({columns}) FROM STDIN (FORMAT csv, ENCODING 'UTF8')
