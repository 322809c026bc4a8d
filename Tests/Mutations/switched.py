"""Puts many faults into one build, each of which an environment variable turns on (mutant schemata: Untch, Offutt and
Harrold, "Mutation Analysis Using Mutant Schemata", 1993).

The body of a function with faults becomes a choice between its copies: `if siltstoneFault == 3 { … } else { … }`. Faults
outside of functions, and those whose copy does not compile, are left to a build of their own.
"""

import re

VARIABLE = "SILTSTONE_MUTATION"
SWITCH_FILE = "ActiveFault.swift"
SWITCH = f"""import Foundation

@usableFromInline let siltstoneFault = Int(ProcessInfo.processInfo.environment["{VARIABLE}"] ?? "") ?? -1
"""
FUNCTION = re.compile(
    r"\b(func|init|deinit|subscript)\b|^\s*(?:@\w+(?:\([^)]*\))?\s+|\w+\s+)*(get|set|_read|_modify|unsafeAddress"
    r"|unsafeMutableAddress|didSet|willSet)(\s*\([^)]*\))?\s*(?:throws(?:\([^)]*\))?\s*)?$|\bvar\b[^=]*$")
TYPE = re.compile(r"\b(struct|class|enum|extension|protocol|actor)\b")


def blank(text):
    """The text with its comments and string literals replaced by spaces, so that braces count."""
    out, at = list(text), 0
    patterns = re.compile(r'//[^\n]*|/\*.*?\*/|#*"""(?:.*?)"""#*|#"(?:.*?)"#|"(?:\\.|[^"\\\n])*"', re.S)
    while found := patterns.search(text, at):
        for index in range(found.start(), found.end()):
            if out[index] != "\n":
                out[index] = " "
        at = found.end()
    return "".join(out)


def braces(code):
    """Pairs of braces as (start, end, header), outer ones first."""
    pairs, open_ = [], []
    for index, character in enumerate(code):
        if character == "{":
            open_.append(index)
        elif character == "}" and open_:
            start = open_.pop()
            pairs.append((start, index, header(code, start, index)))
    return sorted(pairs)


def header(code, opening, closing):
    """The declaration or statement before a pair of braces. The sources are formatted: where the closing brace begins a line,
    the declaration begins at the same column."""
    line = code.rfind("\n", 0, closing) + 1
    if code[line:closing].strip() == "":
        column = closing - line
        start = opening
        while start > 0:
            start = code.rfind("\n", 0, start) + 1
            text = code[start:opening]
            if text.strip() and len(text) - len(text.lstrip()) == column and not re.match(r"\s*([)}]|->|throws|where)", text):
                return text
            start -= 1
    return code[code.rfind("\n", 0, opening) + 1:opening]


def body_around(text, start, end):
    """The braces of the outermost function around a part of the text, or None."""
    for opening, closing, head in braces(blank(text)):
        if opening < start and end <= closing:
            if TYPE.search(head) and not re.search(r"\bfunc\b", head):
                continue
            return (opening, closing) if FUNCTION.search(head) else None
    return None


def changed_part(text, fault):
    """The start and the end of the characters that a fault replaces, without those that stay at both ends."""
    start, end = text.index(fault.old), text.index(fault.old) + len(fault.old)
    old, new = fault.old, fault.new
    while old and new and old[0] == new[0]:
        old, new, start = old[1:], new[1:], start + 1
    while old and new and old[-1] == new[-1]:
        old, new, end = old[:-1], new[:-1], end - 1
    return start, end


class SwitchedFile:
    """One source file with the faults that it takes."""

    def __init__(self, text, faults):
        """Faults are pairs of a number and a mutation."""
        self.text = text
        self.bodies = {}
        self.outside = []
        for number, fault in faults:
            body = body_around(text, *changed_part(text, fault))
            if body is None:
                self.outside.append((number, fault))
            else:
                self.bodies.setdefault(body, []).append((number, fault))

    def rendered(self):
        """The new text, and the lines of each fault's copy, then of each whole function, as (first, last, numbers)."""
        parts, lines, functions, at = [], [], [], 0
        for (opening, closing), faults in sorted(self.bodies.items()):
            parts.append(self.text[at:opening + 1])
            inside = self.text[opening + 1:closing]
            beginning = "".join(parts).count("\n") + 1
            for number, fault in faults:
                first = "".join(parts).count("\n") + 1
                whole = self.text.replace(fault.old, fault.new)
                changed = whole[opening + 1:closing + len(whole) - len(self.text)]
                parts.append(f" if siltstoneFault == {number} {{{changed}\n}} else ")
                lines.append((first, "".join(parts).count("\n") + 1, {number}))
            parts.append("{" + inside + "\n}\n}")
            functions.append((beginning, "".join(parts).count("\n") + 1, {number for number, _ in faults}))
            at = closing + 1
        parts.append(self.text[at:])
        return "".join(parts), lines + functions

    def drop(self, numbers):
        """Takes faults out, for a build of their own."""
        for body, faults in list(self.bodies.items()):
            kept = [pair for pair in faults if pair[0] not in numbers]
            self.outside += [pair for pair in faults if pair[0] in numbers]
            if kept:
                self.bodies[body] = kept
            else:
                del self.bodies[body]
