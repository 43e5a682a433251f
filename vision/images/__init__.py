"""Pictures and films: loaded safely, taken from cameras, made even in light."""
