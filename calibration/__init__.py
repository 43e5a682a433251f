"""Fitting to one camera, one table and one deck."""
