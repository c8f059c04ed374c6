-- One row per row of the file: each array has the texts of one column.
INSERT INTO {live} ({columns})
SELECT {values}
  FROM unnest({arrays}) AS row ({names})
