"""A hub that lives: it plays spec/cleverbus.md 1 to 7 on the console's own tables, see docs/demo.md."""
