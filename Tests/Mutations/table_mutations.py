"""The faults that are put into tables: keys, planner, constraints, builds, coders. See mutations.py."""

from mutations import Mutation


def tables(name, what, file, old, new, first):
    return Mutation(name, what, file, old, new, first, "SiltstoneTables")


def kit(name, what, file, old, new, first):
    return Mutation(name, what, file, old, new, first, "TableKit")


TABLE_MUTATIONS = [
    # Keys.
    tables(
        "negative-misplaced", "negative integers of one length are ordered backward", "Keys/KeyEncoder.swift",
        "append(bigEndian: UInt64(bitPattern: value &- 1), length: length)",
        "append(bigEndian: UInt64(bitPattern: ~value), length: length)", "KeyEncodingTests"),
    tables(
        "zero-not-escaped", "a zero in a text ends it in its key", "Keys/KeyEncoder.swift",
        "            if byte == 0 {\n", "            if byte == 0, false {\n", "KeyEncodingTests"),
    tables(
        "nan-differs", "keys tell NaNs apart", "Keys/KeyEncoder.swift",
        "value.isNaN ? 0x7FF8_0000_0000_0000 : value.bitPattern", "value.bitPattern", "KeyEncodingTests"),
    # Constraints and entries.
    tables(
        "key-not-unique", "an insert replaces the row with its key", "Changes/RowWriter+Insert.swift",
        "case .fail: throw uniqueError(plan.table, plan.table.primaryKey, try keyValues(plan.table))",
        "case .fail: return try replace(with: row, plan, statement, &result)", "ConstraintTests"),
    tables(
        "old-entry-kept", "an update leaves the old entry in an index", "Changes/RowWriter+Change.swift",
        "                try unsafe removeOldEntry(index, isKeyless, key: UnsafeRawBufferPointer(rebasing: key[prefix...]))\n",
        "                _ = unsafe (isKeyless, key[prefix...])\n", "SiltstoneTablesTests"),
    tables(
        "entries-kept", "a delete leaves the entries of the row", "Changes/RowWriter+Change.swift",
        "        try removeEntries(plan, of: row)\n", "", "SiltstoneTablesTests"),
    tables(
        "reference-unchecked", "a row may refer to nothing", "Changes/RowWriter+References.swift",
        "isEmpty { throw missing(check) }", "isEmpty { continue }", "ConstraintTests"),
    tables(
        "restrict-ignored", "a row that others refer to goes, whatever they say", "Changes/RowWriter+References.swift",
        "guard action != .restrict else {", "guard action != .restrict || keys.isEmpty == false else {",
        "ConstraintTests"),
    tables(
        "cascade-once", "what follows from a change is done once and not further", "Changes/RowWriter+References.swift",
        "        while let change = pending.popLast() {\n            hasFollowed = true\n",
        "        while let change = pending.popLast() {\n            if hasFollowed { continue }\n            hasFollowed = true\n",
        "ConstraintTests"),
    # Planner.
    tables(
        "negation-lost", "a comparison below `!` is not negated", "Plans/Normalisation.swift",
        "let comparison = isNegated ? comparison.negated : comparison\n", "let comparison = comparison\n",
        "QueryPlanTests"),
    tables(
        "not-in-null", "NOT IN a list with NULL finds rows", "Plans/Normalisation.swift",
        "        if isNegated, values.contains(.null) { return .never }\n", "", "SiltstoneTablesTests"),
    tables(
        "literal-rounded", "an integer column equals the whole part of a real", "Plans/LiteralBounds.swift",
        "if real == real.rounded(.down) { exact = below }", "exact = below", "SiltstoneTablesTests"),
    tables(
        "interval-open", "the interval of a value takes in longer texts with a zero behind it",
        "Plans/KeyInterval.swift", "to = from + [0xFF]", "to = KeyInterval.successor(from)", "SiltstoneTablesTests"),
    tables(
        "heap-first-kept", "the first rows of an order are those that were met first", "Execution/TopRows.swift",
        "guard RowBytes.order(key, heap[0].key) < 0 else { return true }",
        "guard RowBytes.order(key, heap[0].key) > 0 else { return true }", "SiltstoneTablesTests"),
    tables(
        "cut-keys-unsorted", "long values are sorted by their first bytes alone", "Execution/CutGroup.swift",
        "        try entries.sort(by: isBefore)\n", "", "LongKeyTests"),
    # Streams and look-ups.
    tables(
        "stream-sees-later-writes", "a stream sees what its transaction writes after it was begun",
        "SiltstoneSession.swift", "QueryExecutor(reader: try transaction.frozen(), catalogue: catalogue)",
        "QueryExecutor(reader: transaction, catalogue: catalogue)", "StreamTests"),
    tables(
        "other-key-found", "a row is found by the key of its table, not of its type", "Catalogue/TableBinding.swift",
        "            && keyParts.count == structure.primaryKey.count\n", "", "TableConformanceTests"),
    # Builds and turns.
    tables(
        "build-skips", "a chunk of a build begins behind the row that comes next", "Builds/IndexBuild.swift",
        "description.rowPrefix + last + [0]",
        "description.rowPrefix + last.dropLast() + [last[last.count - 1] &+ 1, 0]", "SiltstoneTablesTests"),
    tables(
        "turn-shared", "two writers have the turn at once", "TurnGate.swift",
        "                state.isTaken = true\n                return nil\n", "                return nil\n",
        "SiltstoneTablesTests"),
    # Coders.
    kit(
        "flags-ignored", "a row with long texts is read as one with short ones", "Rows/RowSlot+Reading.swift",
        "let width = isWide ? 4 : 2", "let width = isWide && variableCount == 0 ? 4 : 2", "TableKitTests"),
    tables(
        "range-count-open", "a counted range leaves out the values that equal its end",
        "Execution/QueryExecutor+RangeCount.swift",
        "case .lessOrEqual, .greater: bytes.append(0xFF)", "case .lessOrEqual, .greater: break",
        "SiltstoneTablesTests"),
    tables(
        "range-count-nulls", "a counted range has the NULLs below it",
        "Execution/QueryExecutor+RangeCount.swift",
        "from = prefix + KeyInterval.values.from", "from = prefix", "SiltstoneTablesTests"),
    tables(
        "given-number-taken-for-new", "a number that a row was given is new for the next row, too",
        "Changes/RowWriter+Insert.swift",
        "known = known.map { max($0, number) }", "_ = number", "SiltstoneTablesTests"),
]
