"""`hubconsole completion`: prints a script with which a shell completes commands and their options."""

import argparse

from django.core.management.base import BaseCommand

# Django completes a command line that it is given in these variables.
_BASH = """\
if [ -n "$ZSH_VERSION" ]; then
  type compdef >/dev/null 2>&1 || { autoload -U compinit && compinit; }
  autoload -U +X bashcompinit && bashcompinit
fi
_hubconsole_complete() {
  COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD DJANGO_AUTO_COMPLETE=1 "$1" 2>/dev/null))
}
complete -o default -F _hubconsole_complete hubconsole
"""
_FISH = """\
function __hubconsole_complete
  set -l words (commandline -opc) (commandline -ct)
  set -lx COMP_WORDS "$words"
  set -lx COMP_CWORD (math (count $words) - 1)
  DJANGO_AUTO_COMPLETE=1 $words[1] 2>/dev/null | string split -n " "
end
complete -c hubconsole -a "(__hubconsole_complete)"
"""
# zsh runs the functions of bash.
_SCRIPTS = {"bash": _BASH, "zsh": _BASH, "fish": _FISH}


class Command(BaseCommand):
    help = (
        'Print the completion for a shell. bash and zsh: eval "$(hubconsole completion)";'
        " fish: hubconsole completion fish | source."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "shell", nargs="?", choices=sorted(_SCRIPTS), default="bash", help="the shell (bash)"
        )

    def handle(self, *, shell: str, **options: object) -> None:
        self.stdout.write(_SCRIPTS[shell], ending="")
