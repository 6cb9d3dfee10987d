"""The commands, one file each. Importing one adds it to ``tooth``."""
