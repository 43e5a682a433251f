"""The Kivy app: screens and widgets over the referee and the eyes.

Only `mobile.app`, `mobile.screens`, `mobile.widgets` and `mobile.games` open a window; the
view-models in `mobile.model` are plain Python and are tested without one.
"""
