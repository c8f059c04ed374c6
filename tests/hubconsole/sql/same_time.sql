SELECT %(moment)s::timestamptz
