"""The Kivy app: screens and widgets over the referee and the eyes.

Only `mobile.app`, `mobile.screens`, `mobile.widgets` and `mobile.games` open a window; view-models
(`mobile.table`, `mobile.eyes`, `mobile.rows`) are plain Python and are tested without one.
"""
