"""The app on a Raspberry Pi."""
