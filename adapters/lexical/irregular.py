"""Forms of English words that no ending tells: who asks when somebody went is answered by "go"."""

from __future__ import annotations

from types import MappingProxyType

_TABLE = """
become became, begin began begun, bend bent, bite bit bitten, blow blew blown, break broke broken, bring brought,
build built, buy bought, catch caught, choose chose chosen, come came, deal dealt, dig dug, draw drew drawn,
dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt,
fight fought, find found, fly flew flown, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen,
get got gotten, give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden, hold held,
keep kept, know knew known, lead led, learn learnt, leave left, lend lent, lie lain, lose lost, make made, mean meant,
meet met, overcome overcame, pay paid, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw
seen, seek sought, sell sold, send sent, shake shook shaken, shine shone, shoot shot, show shown, sing sang sung,
sink sank sunk, sit sat, sleep slept, speak spoke spoken, spend spent, stand stood, steal stole stolen, stick stuck,
sweep swept, swim swam swum, take took taken, teach taught, tear tore torn, tell told, think thought,
throw threw thrown, undergo underwent undergone, understand understood, wake woke woken, wear wore worn,
weave wove woven, win won, withdraw withdrew withdrawn, write wrote written,
child children, foot feet, goose geese, half halves, knife knives, loaf loaves, man men, mouse mice, person people,
shelf shelves, tooth teeth, wife wives, woman women
"""
BASE = MappingProxyType(
    {form: entry.split()[0] for entry in _TABLE.split(",") for form in entry.split()[1:]},
)
"""Each form's base word."""
