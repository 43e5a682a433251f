"""The games, one module each (a package where it outgrows one file)."""
