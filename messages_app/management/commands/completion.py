"""`hubconsole completion`: prints what makes bash and zsh complete the console's commands and options."""

from django.core.management.base import BaseCommand

# Django completes a command line that it is given in these variables.
_SCRIPT = """\
if [ -n "$ZSH_VERSION" ]; then autoload -U +X bashcompinit && bashcompinit; fi
_hubconsole_complete() {
  COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD DJANGO_AUTO_COMPLETE=1 "$1" 2>/dev/null))
}
complete -o default -F _hubconsole_complete hubconsole
"""


class Command(BaseCommand):
    help = 'Prints the completion for bash and zsh: eval "$(hubconsole completion)".'
    requires_system_checks: list[str] = []

    def handle(self, **options: object) -> None:
        self.stdout.write(_SCRIPT, ending="")
