-- One row per row of the file.
COPY {live} ({columns}) FROM STDIN
