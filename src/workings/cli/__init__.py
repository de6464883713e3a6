"""The command line: main.py runs the commands of commands.py; output.py, options.py and streams.py serve them all."""
