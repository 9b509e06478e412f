"""Under which names a country's universities and authorities are found."""

from typing import Final

_COUNTRIES: Final = {
    "ac": (
        "ae at bd be bw ci cn cr cy eg fj fk gn id il im in ir jp ke kr lk ls ma me ml mu mw mz ni nz pa pk "
        "pr rs rw se sz th tj tz ug uk vn za zm zw"
    ),
    "edu": (
        "ac af al ao ar au az ba bb bd bh bi bj bm bn bo br bs bt bz ci cn co cu cv cw dm do dz ec ee eg es "
        "et fj fm gd ge gh gi gl gn gp gr gt gu gy hk hn ht in io iq it jm jo kg kh ki km kn kp kw ky kz la "
        "lb lc lk lr ls lv ly me mg mk ml mm mn mo ms mt mv mw mx my mz ng ni np nr om pa pe pf pg ph pk pl "
        "pn pr ps pt py qa rs sa sb sc sd sg sl sn so ss st sv sy tj tm to tr tt tw ua ug uy vc ve vg vn vu "
        "ws ye za zm"
    ),
    "gc": "ca",
    "go": "ci cr id jp ke kr th tj tz ug",
    "gob": "ar bo cl cu do ec es gt hn mx ni pa pe pk sv ve",
    "gos": "pk",
    "gouv": "ci fr ht km ml sn",
    "gov": (
        "ac ae af al am ao ar as au az ba bb bd bf bh bm bn br bs bt bw by bz cd cl cm cn co cu cx cy cz dm do "
        "dz ec ee eg et fj fk gd ge gh gi gn gr gu gy hk hr hu ie il in io iq ir it jm jo kg kh ki km kn kp "
        "kr kw kz la lb lc lk lr ls lt lv ly ma md me mg mk ml mm mn mo mr ms mt mu mv mw my mz na ng np nr "
        "om pg ph pk pl pn pr ps pt pw py qa ro rs ru rw sa sb sc sd sg sh si sk sl so ss st sx sy tj tl tm tn "
        "to tr tt tw ua ug uk vc ve vn ws ye za zm zw"
    ),
    "govt": "nz",
    "gub": "uy",
    "gv": "ao at",
}
"""The countries in which a label means so: from the ICANN part of the Public Suffix List, without `go.it` (a province).

Added are registries that the list holds by wildcard (Nepal, Myanmar …), and `.gov` names that a state itself runs where
the registry reserves nothing (Slovenia, Slovakia, Hungary, Romania …).
"""

INSTITUTIONS: Final = frozenset(
    {"gov", "edu", "gov.scot", "gov.wales"}
    | {f"{label}.{country}" for label, countries in _COUNTRIES.items() for country in countries.split()}
)
"""The suffixes of whole labels under which governments and academic institutions are."""
