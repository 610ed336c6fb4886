"""The tests. They write bytecode even where Python is told not to: each of the many processes of a run would compile it all."""

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
