"""What the app needs on Android, and how its package is made."""
