"""The tests. If Python may write no bytecode here, it is kept beside the libraries instead.

Imported before everything else: compiling it all takes each of the many processes of a run several seconds.
"""

import os
import sys
from pathlib import Path

if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(sys.prefix) / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
