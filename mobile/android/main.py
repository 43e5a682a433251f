"""Where Android starts the app."""

from __future__ import annotations

from mobile.android.device import prepare
from mobile.app import main

prepare()
main()
