"""`python -m hubconsole COMMAND`: the command line where its script is not on the path."""

import sys

from hubconsole.command_line import run_command_line

if __name__ == "__main__":
    sys.argv[0] = "hubconsole"
    run_command_line()
