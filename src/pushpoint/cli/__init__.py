"""The command line: one command per file. Heavy modules are imported inside the commands."""
