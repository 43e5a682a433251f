"""The screens: one `.py` and one `.kv` each."""
