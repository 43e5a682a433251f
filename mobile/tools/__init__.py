"""Tools around the app: screenshots, the catalogue of translations, measurements."""
