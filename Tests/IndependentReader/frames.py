"""Frames: what logs and manifests consist of."""

import struct

from bytes_and_files import StoreFile, check, crc, round_up, u32, u64


class Frame:
    BATCH, LINK, CLOSE, EDIT = 1, 2, 3, 4
    HEADER = 32
    # The kinds that each kind of file has.
    KINDS = {"log": {BATCH, LINK, CLOSE}, "manifest": {CLOSE, EDIT}}

    def __init__(self, file, offset):
        """Reads the frame at an offset. `is_intact` tells whether it is whole."""
        self.offset, self.is_intact = offset, False
        header = file.data[offset:offset + self.HEADER]
        if len(header) < self.HEADER:
            return
        (self.checksum, length, self.first, self.count, self.before, mark, self.kind) = struct.unpack(
            "<IIQIIII", header)
        self.end = offset + self.HEADER + round_up(length, 8)
        if self.end > len(file.data):
            return
        self.synced = 8 * mark
        body = file.data[offset + 4:self.end]
        if crc(u32(file.header_checksum), u64(offset), body) != self.checksum:
            return
        self.payload = body[self.HEADER - 4:self.HEADER - 4 + length]
        self.is_intact = self.synced <= offset


def read_frames(file):
    """The valid frames of a log or manifest, and the offset at which they end."""
    frames, offset, before = [], StoreFile.HEADER, file.header_checksum
    while True:
        frame = Frame(file, offset)
        if not frame.is_intact or frame.before != before:
            return frames, offset
        check(Frame.BATCH <= frame.kind <= Frame.EDIT, file.path, offset, f"the kind {frame.kind} of a frame is unknown")
        check(frame.kind in Frame.KINDS[file.kind], file.path, offset, f"a {file.kind} has no frames of kind {frame.kind}")
        frames.append(frame)
        offset, before = frame.end, frame.checksum


def intact_frames_behind(file, end):
    """Frames with a right checksum after the place where the valid ones end, wherever they stand."""
    offset = end
    while offset + Frame.HEADER <= len(file.data):
        if not any(file.data[offset:offset + 4096]):
            offset += 4096
            continue
        frame = Frame(file, offset)
        if frame.is_intact and Frame.BATCH <= frame.kind <= Frame.EDIT:
            yield frame
            offset = frame.end
        else:
            offset += 8


def refuse_synced_behind(file, end):
    """The proof that bytes behind the last valid frame were on stable storage once."""
    for frame in intact_frames_behind(file, end):
        check(frame.synced <= end, file.path, end, f"damage: the frame at {frame.offset} says that this was synced")
