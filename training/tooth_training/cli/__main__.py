"""``python -m tooth_training.cli``, the same as ``tooth``."""

from tooth_training.cli import main

if __name__ == "__main__":
    main()
