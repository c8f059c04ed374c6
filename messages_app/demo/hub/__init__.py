"""A hub that lives: it plays docs/spec/cleverbus.md on the console's own tables, see docs/demo.md."""
