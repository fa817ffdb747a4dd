"""``python -m pushpoint`` is the command ``pushpoint``."""

from pushpoint.cli.main import main

if __name__ == "__main__":
    main()
