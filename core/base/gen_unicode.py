#!/usr/bin/env python3
"""Write unicode_tables.h: what Python's str methods and its re module know about characters, as compact tables.

    python3 core/base/gen_unicode.py >core/base/unicode_tables.h

The tables are asked from the interpreter itself instead of from data files, so they are right by construction for the
Unicode version it has. The published scores were made with Unicode 14.0 (Python 3.11).
"""
import re
import sys
import unicodedata

CHARACTERS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
SIGMA = "\u03a3"
FINAL = "\u03c2"


def ranges(members):
    """Inclusive (first, last) pairs of the code points for which members holds. Surrogates never count."""
    out = []
    for ch in CHARACTERS:
        if members(ch):
            c = ord(ch)
            if out and out[-1][1] == c - 1:
                out[-1][1] = c
            else:
                out.append([c, c])
    return out


def simple_lower(ch):
    """The single-character mapping; only U+0130 has a longer one."""
    lower = ch.lower()
    assert len(lower) == 1 or ch == "\u0130"
    return lower[0]


def lower_runs():
    """(first, last, step, delta): every step-th character from first to last becomes itself plus delta."""
    runs = []
    for ch in CHARACTERS:
        c, delta = ord(ch), ord(simple_lower(ch)) - ord(ch)
        if delta == 0:
            continue
        if runs:
            first, last, step, before = runs[-1]
            if before == delta and c - last in (1, 2) and step in (0, c - last):
                runs[-1] = (first, c, c - last, delta)
                continue
        runs.append((c, c, 0, delta))
    return [(first, last, step or 1, delta) for first, last, step, delta in runs]


def is_cased(ch):
    """Does a capital sigma after ch become a final one? So for cased characters that are not skipped."""
    return (ch + SIGMA).lower().endswith(FINAL)


def is_ignorable(ch):
    """Is ch skipped when a capital sigma looks for its neighbours?"""
    return not is_cased(ch) and ("A" + ch + SIGMA).lower().endswith(FINAL)


def fold_sets():
    """Sets of characters that re.IGNORECASE takes for each other, where lower_runs alone does not say so."""
    by_lower = {}
    for ch in CHARACTERS:
        if simple_lower(ch) != ch or ch.upper() != ch:
            by_lower.setdefault(simple_lower(ch), set()).add(ch)
    by_upper = {}
    for lower, members in by_lower.items():
        by_upper.setdefault(lower.upper(), set()).update(members)
    sets = []
    for members in by_upper.values():
        lowers = {simple_lower(ch) for ch in members}
        if len(members) > 2 or (len(members) == 2 and len(lowers) == 2):
            sets.append(sorted(members))
    for members in sets:  # the engine must agree
        for a in members:
            for b in members:
                assert re.fullmatch(re.escape(a), b, re.IGNORECASE), (a, b)
    return sorted(sets)


def emit(name, kind, rows, about, nested=1):
    print(f"\n/* {about} */\nstatic const {kind} {name}[] = {{")
    line = ""
    for row in rows:
        item = "{" * nested + ", ".join(f"0x{v:x}" if v >= 0 else f"-0x{-v:x}" for v in row)
        item += "}" * nested + ","
        if len(line) + len(item) > 108:
            print("\t" + line.rstrip())
            line = ""
        line += item + " "
    print("\t" + line.rstrip() + "\n};")


def main():
    sets = fold_sets()
    widest = max(map(len, sets))
    print("/* Made by core/base/gen_unicode.py from Unicode "
          f"{unicodedata.unidata_version} and checked in: do not edit, run the script again. */")
    print("#ifndef AS_UNICODE_TABLES_H\n#define AS_UNICODE_TABLES_H\n\n#include <stdint.h>\n")
    print("typedef struct as_char_range {\n\tuint32_t first, last;\n} as_char_range;\n")
    print("typedef struct as_lower_run {\n\tuint32_t first, last;\n\tint32_t step, delta;\n} as_lower_run;\n")
    print(f"#define AS_FOLD_SET_SIZE {widest}\n")
    print("typedef struct as_fold_set {\n\tuint32_t members[AS_FOLD_SET_SIZE]; /* 0: none */\n} as_fold_set;")
    emit("lower_runs", "as_lower_run", lower_runs(),
         "Simple lower case: every step-th character of a run becomes itself plus delta.")
    emit("cased_ranges", "as_char_range", ranges(is_cased), "Cased, and not ignorable.")
    emit("ignorable_ranges", "as_char_range", ranges(is_ignorable), "Case-ignorable.")
    emit("alnum_ranges", "as_char_range", ranges(str.isalnum), "str.isalnum.")
    emit("fold_sets", "as_fold_set", [[ord(ch) for ch in s] + [0] * (widest - len(s)) for s in sets],
         "Characters that match each other without regard to case, beyond the pairs of lower_runs.", nested=2)
    print("\n#endif")


if __name__ == "__main__":
    sys.exit(main())
