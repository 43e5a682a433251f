"""View-models: what the screens show and do, without Kivy."""
