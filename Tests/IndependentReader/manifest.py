"""CURRENT and the manifest: which files make up the store."""

import os
import re

from bytes_and_files import Fields, check, crc, read
from frames import Frame, read_frames, refuse_synced_behind


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


class State:
    """What the edits of a manifest add up to."""

    def __init__(self, file):
        self.identity = file.identity
        self.logs, self.segments, self.values, self.closing = set(), {}, set(), {}
        self.path = file.path
        frames, end = read_frames(file)
        refuse_synced_behind(file, end)
        edits = [frame for frame in frames if frame.kind == Frame.EDIT]
        check(edits, file.path, end, "the manifest holds no edit")
        for frame in edits:
            self.apply(Fields(frame.payload, file.path, frame.offset + Frame.HEADER))

    def apply(self, fields):
        while not fields.is_at_end:
            (tag,) = fields.bytes(1)
            content = Fields(fields.prefixed(), fields.path, fields.base)
            if tag in (1, 8):
                content.varint()
            elif tag == 2:
                self.logs.add(content.varint())
            elif tag == 3:
                self.remove(self.logs, content)
            elif tag == 4:
                info = SegmentInfo(content)
                self.segments[info.number] = info
            elif tag == 5:
                number = content.varint()
                check(self.segments.pop(number, None), self.path, fields.base, f"segment {number} was not live")
            elif tag == 6:
                self.values.add(content.varint())
            elif tag == 7:
                self.remove(self.values, content)
            elif tag == 9:
                log, end, _ = content.varint(), content.varint(), content.varint()
                self.closing[log] = end
            else:
                check(tag >= 128, self.path, fields.base, f"the tag {tag} is unknown")

    def remove(self, numbers, content):
        number = content.varint()
        check(number in numbers, self.path, content.base, f"file {number} was not live")
        numbers.remove(number)
