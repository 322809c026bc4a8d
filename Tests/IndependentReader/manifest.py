"""CURRENT and the manifest: which files make up the store."""

import os
import re

from bytes_and_files import Fields, check, crc, read
from frames import Frame, read_frames, refuse_synced_behind

NEXT_NUMBER, ADDED_LOG, REMOVED_LOG, ADDED_SEGMENT, REMOVED_SEGMENT = 1, 2, 3, 4, 5
ADDED_VALUES, REMOVED_VALUES, LAST_SEQUENCE, CLOSED = 6, 7, 8, 9


def read_current(directory):
    """The number of the manifest in force."""
    path = os.path.join(directory, "CURRENT")
    line = read(path)
    match = re.fullmatch(rb"(siltstone (\d+) (\d{6,})\.manifest )([0-9a-f]{8})\n", line)
    check(match, path, 0, "the line is malformed")
    check(int(match[4], 16) == crc(match[1]), path, len(match[1]), "the line fails its checksum")
    check(match[2] == b"1", path, 10, f"format version {match[2].decode()} is unknown")
    return int(match[3])


class SegmentInfo:
    """What the manifest says about a segment."""

    def __init__(self, fields):
        self.number, self.level, self.run = fields.varint(), fields.varint(), fields.varint()
        self.file_bytes = fields.varint()
        (self.footer_checksum,) = fields.fixed("I")
        # From here on it is what the properties of the segment say, byte for byte.
        self.properties = fields.data[fields.position:]
        self.records, self.tombstones, self.range_tombstones = fields.varint(), fields.varint(), fields.varint()
        self.smallest, self.greatest = fields.varint(), fields.varint()
        self.user_bytes = fields.varint()
        self.first_key, self.last_key = fields.prefixed(), fields.prefixed()
        self.value_bytes = {}
        for _ in range(fields.varint()):
            number = fields.varint()
            self.value_bytes[number] = fields.varint()
        check(fields.is_at_end, fields.path, fields.base, "a segment's field is too long")


class Edit:
    """The fields of one edit, whose order means nothing."""

    def __init__(self, fields):
        self.once = {}
        self.added = {tag: [] for tag in (ADDED_LOG, ADDED_SEGMENT, ADDED_VALUES)}
        self.removed = {tag: [] for tag in (REMOVED_LOG, REMOVED_SEGMENT, REMOVED_VALUES)}
        while not fields.is_at_end:
            (tag,) = fields.bytes(1)
            content = Fields(fields.prefixed(), fields.path, fields.base)
            if tag in (NEXT_NUMBER, LAST_SEQUENCE):
                self.once[tag] = content.varint()
            elif tag == CLOSED:
                self.once[tag] = (content.varint(), content.varint(), content.varint())
            elif tag == ADDED_SEGMENT:
                self.added[tag].append(SegmentInfo(content))
            elif tag in self.added:
                self.added[tag].append(content.varint())
            elif tag in self.removed:
                self.removed[tag].append(content.varint())
            else:
                check(tag >= 128, fields.path, fields.base, f"the tag {tag} is unknown")
                continue
            check(content.is_at_end, fields.path, fields.base, f"a field with tag {tag} is too long")


class State:
    """What the edits of a manifest add up to."""

    def __init__(self, file):
        self.identity, self.number, self.path = file.identity, file.number, file.path
        self.logs, self.segments, self.values = [], {}, set()
        self.next_number, self.last_sequence = 1, 0
        # Of the log that was in use when the store was last closed in good order: its number, and where it ended.
        self.closed_log, self.closed_end = 0, 0
        frames, end = read_frames(file)
        refuse_synced_behind(file, end)
        edits = [frame for frame in frames if frame.kind == Frame.EDIT]
        check(edits, file.path, end, "the manifest holds no edit")
        for frame in edits:
            self.apply(Edit(Fields(frame.payload, file.path, frame.offset + Frame.HEADER)), frame.offset)
        for info in self.segments.values():
            check(info.greatest <= self.last_sequence, self.path, edits[-1].offset,
                  f"segment {info.number} has changes up to {info.greatest}, the last one is {self.last_sequence}")

    def apply(self, edit, offset):
        def require(condition, what):
            check(condition, self.path, offset, what)

        number = edit.once.get(NEXT_NUMBER, self.next_number)
        require(self.next_number <= number <= 1 << 62, f"file numbers go from {self.next_number} to {number}")
        self.next_number = number
        for tag, live in [(REMOVED_LOG, self.logs), (REMOVED_SEGMENT, self.segments), (REMOVED_VALUES, self.values)]:
            for number in edit.removed[tag]:
                require(number in live, f"file {number} is removed and was not live")
                live.pop(number) if live is self.segments else live.remove(number)
        for number in edit.added[ADDED_LOG]:
            require(not self.logs or self.logs[-1] < number, f"log {number} is added out of order")
            self.logs.append(number)
        for info in edit.added[ADDED_SEGMENT]:
            require(info.number not in self.segments, f"segment {info.number} is added twice")
            self.segments[info.number] = info
        for number in edit.added[ADDED_VALUES]:
            require(number not in self.values, f"value file {number} is added twice")
            self.values.add(number)
        self.last_sequence = max(self.last_sequence, edit.once.get(LAST_SEQUENCE, 0))
        self.closed_log, self.closed_end, _ = edit.once.get(CLOSED, (self.closed_log, self.closed_end, 0))
