"""The command line: parse, load, call the public API, write. Heavy imports wait until a command runs."""
