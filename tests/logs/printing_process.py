"""A process that takes over its output like a server process, and then prints in every way there is: ``KIND``."""

import ctypes
import faulthandler
import logging
import os
import subprocess
import sys
import threading
import warnings

from webapp.logs.process_output import configure_logging, take_over_output


def fail() -> None:
    raise ValueError("two\nlines about /invitations/secret-token")


class FailsAtItsEnd:
    def __del__(self) -> None:
        fail()


def print_in_many_ways() -> None:
    logging.getLogger("webapp.test").info("First line\u2028and ąž \udc80\x85.")
    logging.getLogger("celery.worker").info("A library's usual line is not logged.")
    logging.getLogger("waitress").warning("A library warns.")
    logging.getLogger("webapp.test").info("%d %d", "a wrong call")  # noqa: PLE1206 - on purpose
    warnings.warn("a warning", DeprecationWarning, stacklevel=1)
    warnings.warn("another\nwarning", UserWarning, stacklevel=1)
    FailsAtItsEnd()
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    sys.stderr.write("Text of a library.\n")
    child_code = "import os; print(1 / len(os.environ.get('NO_SUCH_NAME', '')))"
    subprocess.run([sys.executable, "-c", child_code], check=False)
    os.write(2, b"Bytes of a C library: \xff\n")


if __name__ == "__main__":
    take_over_output()
    configure_logging(secrets=["a secret of the settings"])
    if sys.argv[1] == "many":
        print_in_many_ways()
        logging.getLogger("webapp").error("It was a secret of the settings.")
        fail()
    elif sys.argv[1] == "crash":
        assert faulthandler.is_enabled()
        ctypes.string_at(0)
