"""``python -m pushpoint`` is the command ``pushpoint``."""

from pushpoint.cli.main import command

if __name__ == "__main__":
    command()
