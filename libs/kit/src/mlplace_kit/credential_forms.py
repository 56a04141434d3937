"""Patterns of credentials that can be recognised anywhere in a text. Sources: the issuers' documentation."""

import re
from typing import Final

_FORMS = (
    r"\d{1,19}\.\d{1,19}\.[A-Za-z0-9]{40}",  # keys and service tokens of this platform
    r"sk-[A-Za-z0-9_-]{16,256}",
    r"gh[pousr]_[A-Za-z0-9]{20,255}",
    r"github_pat_\w{20,255}",
    r"glpat-[\w-]{20,255}",
    r"hf_[A-Za-z0-9]{20,255}",
    r"xox[abeprs]-[\w-]{10,255}",
    r"A(?:KIA|SIA)[0-9A-Z]{16}",
    r"AIza[\w-]{35}",
    r"eyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}\.[\w-]{8,4096}",  # a signed JWT
    r"(?i:bearer|basic) [\w.~+/=-]{16,8192}",
)
WELL_KNOWN: Final = re.compile(rf"(?<![\w.-])(?:{'|'.join(_FORMS)})(?![\w-])", re.ASCII)
