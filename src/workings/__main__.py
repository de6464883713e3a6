"""`python -m workings`: the command, also where it is not on the path."""

from .cli.main import run

if __name__ == "__main__":
    run()
