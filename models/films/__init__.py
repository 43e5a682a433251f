"""Films and pictures that are drawn frame by frame: the demo clip, the bench, watched tables."""
