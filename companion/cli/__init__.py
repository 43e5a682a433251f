"""The command line: `companion COMMAND`. One module a command, imported when it is called."""
