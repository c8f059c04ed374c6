"""The room's pages: triggers, history, what is undetermined or in doubt, statistics, sweeper, dry run."""
