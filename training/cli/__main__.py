"""``python -m training.cli``, the same as ``tooth``."""

from training.cli import main

if __name__ == "__main__":
    main()
