"""All rulebooks by key."""

from typing import Final

from engine.rulebook import Rulebook
from engine.rulebooks.en_2004 import EN_2004
from engine.rulebooks.et_2007 import ET_2007
from engine.rulebooks.lt_2009 import LT_2009
from engine.rulebooks.lv_2009 import LV_2009
from engine.rulebooks.sv_web import SV_WEB
from engine.rulebooks.uk_2017 import UK_2017

RULEBOOKS: Final[dict[str, Rulebook]] = {
    rulebook.key: rulebook for rulebook in (EN_2004, LV_2009, ET_2007, SV_WEB, LT_2009, UK_2017)
}
DEFAULT_RULEBOOK: Final = EN_2004.key
