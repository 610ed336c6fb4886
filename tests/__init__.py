"""The tests. They write bytecode even if PYTHONDONTWRITEBYTECODE is set: each of the many processes of a run would compile it all."""

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
