"""Card art, fonts, backgrounds and occluders that the scene synthesiser trains on.

Nothing of it is in the repository: ``python -m models.art fetch`` downloads the packages that hold
it with the ordinary clients (``apt-get``, ``npm``, ``pip``), unpacks them without installing, and
brings everything into one form under a cache folder.
"""
