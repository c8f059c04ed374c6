#!/usr/bin/env python
"""The command line of a clone."""

from hubconsole.command_line import run_command_line

if __name__ == "__main__":
    run_command_line()
