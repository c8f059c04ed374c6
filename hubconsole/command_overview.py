"""The commands by what they are for, which `hubconsole --help` prints without loading any of them."""

from hubconsole.installation import COMMAND_LINE

GROUPS = {
    "Start and check": {
        "up": "start everything in this terminal",
        "doctor": "check servers, tables, rights and disk; say how to fix what does not work",
        "check": "check the settings; with --deploy for production",
        "service": "become one program of an installation, for systemd or a container",
        "spark": "become the Spark server of one machine",
        "demo": "load demo data into an empty database",
        "demo_hub": "simulate a hub on the demo's tables",
    },
    "Install and upgrade": {
        "migrate": "bring the tables up to date",
        "grant": "give a database role the rights of the console or of a part",
        "attach": "attach the console to a hub's own tables",
        "detach": "remove the console from a hub's database",
        "archive_months": "list and change the months of the archive tables",
        "move_archive": "move the files of the archive to another address",
        "rebuild_counts": "count all messages again",
        "export_manual": "write the manual as files for another web server",
        "completion": "print the completion for bash, zsh or fish",
    },
    "Users": {
        "createsuperuser": "create the first user",
        "changepassword": "change the password of a user",
        "create_token": "create an API token for a user",
        "remove_second_factor": "remove a second factor that a user has lost",
    },
    "Messages": {
        "restart": "restart the messages of a filter",
        "cancel": "cancel the messages of a filter",
        "resend": "change payloads of a filter, and send them as new messages",
        "reprocess": "reprocess messages of the message store",
        "analyse": "find what failing messages have in common",
        "export": "write the messages of a filter to a file",
        "load_messages": "load XML documents or JSON lines as messages",
        "group_failures": "group failed messages by their cause",
        "index_keys": "extract business keys from payloads",
        "exactly_once": "run a program for a document, unless it ran before",
    },
    "Archive and erase": {
        "archive": "move old messages to the archive",
        "restore": "move archived messages back",
        "archive_history": "archive old attempts of the message store",
        "sweep_document_history": "remove expired entries of the document history",
        "erase_subject": "erase the data of one person from all tables and files",
        "verify_archive": "compare the files of the archive with their digests",
        "verify_audit": "compare the audit log with its seals",
        "forget_audit": "remove old, sealed entries of the audit log",
    },
}
_WIDTH = max(len(name) for commands in GROUPS.values() for name in commands)


def make_overview() -> str:
    lines = [f"usage: {COMMAND_LINE} COMMAND [options]"]
    for title, commands in GROUPS.items():
        lines += ["", title, *(f"  {name:{_WIDTH}}  {text}" for name, text in commands.items())]
    lines += [
        "",
        f"`{COMMAND_LINE} COMMAND --help` explains a command.",
        f"`{COMMAND_LINE} help --commands` lists all, with those of Django.",
    ]
    return "\n".join(lines)
