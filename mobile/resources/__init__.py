"""Words, colours, fonts and icons of the app."""
