"""Runs the code of a client against a running podsync, as an application does.

Usage: python3 driver FOLDER ROOT_URL AREA..., where AREA is a module of FOLDER and ROOT_URL is the address that users
enter in their application. Exchanges JSON lines with the test that starts it (see report.py).
"""

import importlib
import socket
import sys

folder, _root, *areas = sys.argv[1:]
sys.path.insert(0, folder)

for area in areas:
    module = importlib.import_module(area)
    # Clients have a timeout of a minute, or none.
    socket.setdefaulttimeout(20)
    module.run()
