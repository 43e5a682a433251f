"""The networks: a folder each, with its layers (``net``), its samples and its training.

To add one, write such a folder, whose ``train`` ends in a :class:`models.training.run.Network`, and
name it in ``NETWORKS`` of :mod:`models.train`.
"""
