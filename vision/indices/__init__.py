"""Corner indices: where they stand in a picture and what they read as."""
