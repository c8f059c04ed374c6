"""`manage.py migrate`: Django's command, for a database that this version can use and upgrade."""

from django.core.management.base import CommandError
from django.core.management.commands import migrate

from hubconsole.suitability import refusal_of_database


class Command(migrate.Command):
    def handle(self, *arguments: object, **options: object) -> None:
        if why := refusal_of_database():
            raise CommandError(why)
        super().handle(*arguments, **options)
