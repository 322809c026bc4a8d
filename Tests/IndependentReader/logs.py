"""Logs: the changes that are in no segment yet, and what a crash made of them."""

import os
import re
import struct

from bytes_and_files import Damaged, Fields, StoreFile, check
from frames import Frame, intact_frames_behind, read_frames, refuse_synced_behind
from values import Pointer

PUT, DELETE, PUT_POINTER, DELETE_RANGE = 1, 2, 3, 4


class Link:
    """What the first frame of a log says about the log before."""

    def __init__(self, frame):
        self.number, self.end, self.checksum, _, self.last_sequence = struct.unpack("<QQIIQ", frame.payload)


class Log:
    def __init__(self, file):
        self.file = file
        self.frames, self.end = read_frames(file)
        check(not self.frames or self.frames[0].kind == Frame.LINK, file.path, 64, "the first frame is no link")
        self.link = Link(self.frames[0]) if self.frames else None
        self.last_checksum = self.frames[-1].checksum if self.frames else file.header_checksum

    def changes(self, frame):
        """The changes of a batch: sequence number, kind, key, value."""
        fields = Fields(frame.payload, self.file.path, frame.offset + Frame.HEADER)
        sequence = frame.first
        while not fields.is_at_end:
            (kind,) = fields.bytes(1)
            key_length, value_length = fields.varint(), fields.varint()
            yield sequence, kind, fields.bytes(key_length), fields.bytes(value_length)
            sequence += 1
        check(sequence == frame.first + frame.count, self.file.path, frame.offset, "the count of changes is wrong")

    def cut_at_lost_values(self, values):
        """Ends the log at the first batch that refers to a value that is not there."""
        for index, frame in enumerate(self.frames):
            if frame.kind != Frame.BATCH:
                continue
            for _, kind, key, value in self.changes(frame):
                if kind != PUT_POINTER:
                    continue
                check(Pointer(value).file in values.files, self.file.path, frame.offset,
                      "damage: the log refers to a value file that the manifest does not name")
                if values.read(Pointer(value), key) is None:
                    self.end, self.last_checksum = frame.offset, self.frames[index - 1].checksum
                    del self.frames[index:]
                    return

    @property
    def proves_order(self):
        """Whether a frame says that this log was synced, which happens only after those before it."""
        link_end = self.frames[0].end if self.frames else self.file.HEADER + 1  # no frame ends there
        behind = intact_frames_behind(self.file, self.end)
        return any(frame.synced >= link_end for frame in [*self.frames, *behind])


def refuse_unnamed_changes(directory, state):
    """A log is named before anything is written to it: one that is not named and holds a batch proves damage."""
    for name in sorted(os.listdir(directory)):
        match = re.fullmatch(r"(\d{6,})\.log", name)
        number = int(match.group(1)) if match else None
        if number is None or number in state.logs or number < min(state.logs, default=0):
            continue
        try:
            frames, _ = read_frames(StoreFile(directory, "log", number))
        except Damaged:
            continue  # not even a header: a log in the making
        check(all(frame.kind != Frame.BATCH for frame in frames), os.path.join(directory, name), 64,
              "damage: the log holds changes and the manifest does not name it")


def read_logs(directory, state, values, contents):
    refuse_unnamed_changes(directory, state)
    logs = [Log(StoreFile(directory, "log", number, state.identity)) for number in sorted(state.logs)]
    for log in logs:
        log.cut_at_lost_values(values)
    for index, log in enumerate(logs):
        path, end = log.file.path, log.end
        add_changes(log, values, contents)
        later = logs[index + 1:]
        is_whole = bool(log.frames) and bool(later) and is_linked(log, later[0])
        if is_whole:
            continue
        # What follows was never synced, or the log is damaged.
        refuse_synced_behind(log.file, end)
        check(state.closing.get(log.file.number, 0) <= end, path, end, "damage: the log was closed with more in it")
        for other in later:
            check(not other.proves_order, path, end, f"damage: {other.file.path} was synced after more was in this one")
        # A torn tail: what came after it does not count.
        return


def is_linked(log, next_log):
    link = next_log.link
    return link is not None and (link.number, link.end, link.checksum) == (log.file.number, log.end, log.last_checksum)


def add_changes(log, values, contents):
    for frame in log.frames:
        if frame.kind != Frame.BATCH:
            continue
        for sequence, kind, key, value in log.changes(frame):
            if kind == PUT:
                contents.add(key, sequence, value)
            elif kind == DELETE:
                contents.add(key, sequence, None)
            elif kind == PUT_POINTER:
                contents.add(key, sequence, Pointer(value))
            elif kind == DELETE_RANGE:
                contents.ranges.append((key, value, sequence))
            else:
                raise Damaged(log.file.path, frame.offset, f"the kind {kind} of a change is unknown")
