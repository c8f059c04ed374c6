"""
A simulated hub that runs: it follows docs/contributing/spec/cleverbus.md on the console's own tables, see
docs/reference/demo.md.
"""
