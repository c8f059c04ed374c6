"""
A simulated hub that runs: it follows docs/spec/cleverbus.md on the console's own tables, see docs/demo.md.
"""
