"""Logs: the changes that are in no segment yet, and what a crash made of them."""

import os
import re
import struct

from bytes_and_files import Damaged, Fields, StoreFile, check
from frames import Frame, intact_frames_behind, read_frames, refuse_synced_behind
from values import Pointer

PUT, DELETE, PUT_POINTER, DELETE_RANGE = 1, 2, 3, 4
GREATEST_KEY = 1 << 16


class Link:
    """What the first frame of a log says about the log before."""

    # Where each link frame ends in its file.
    END = 128

    def __init__(self, frame, path):
        check(frame.kind == Frame.LINK and len(frame.payload) == 32, path, frame.offset, "the first frame is no link")
        self.number, self.end, self.checksum, synced, self.last_sequence = struct.unpack("<QQIIQ", frame.payload)
        self.synced = 8 * synced
        check(self.synced <= self.end, path, frame.offset, "more of the log before was synced than there was")


class Log:
    def __init__(self, file):
        self.file = file
        self.frames, self.end = read_frames(file)
        self.link = Link(self.frames[0], file.path) if self.frames else None
        for frame in self.frames[1:]:
            check(frame.kind != Frame.LINK, file.path, frame.offset, "a link frame is not the first")
        self.last_checksum = self.frames[-1].checksum if self.frames else file.header_checksum

    def changes(self, frame):
        """The changes of a batch: sequence number, kind, key, value."""
        fields = Fields(frame.payload, self.file.path, frame.offset + Frame.HEADER)
        sequence = frame.first
        while not fields.is_at_end:
            (kind,) = fields.bytes(1)
            key_length, value_length = fields.varint(), fields.varint()
            check(key_length <= GREATEST_KEY and (kind != DELETE_RANGE or value_length <= GREATEST_KEY),
                  self.file.path, frame.offset, "a key is too long")
            yield sequence, kind, fields.bytes(key_length), fields.bytes(value_length)
            sequence += 1
        check(frame.count > 0 and sequence == frame.first + frame.count, self.file.path, frame.offset,
              "the count of changes is wrong")

    def last_sequence(self, before):
        """The number of the last change, where `before` is that of the last one before this log: none may be missing."""
        if self.link:
            check(self.link.last_sequence == before, self.file.path, 64,
                  f"the log goes on behind change {self.link.last_sequence}, the one before it is {before}")
        for frame in self.frames:
            if frame.kind == Frame.BATCH:
                check(frame.first == before + 1, self.file.path, frame.offset,
                      f"a batch begins with change {frame.first}, the one before it is {before}")
                before = frame.first + frame.count - 1
        return before

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

    def was_synced(self, state, later):
        """Whether anything says that this log was synced, its link at least, which happens only after those before it:
        a frame of its own, the link of a log that comes later, or the manifest."""
        behind = intact_frames_behind(self.file, self.end)
        return (
            any(frame.synced >= Link.END for frame in [*self.frames, *behind])
            or any(log.link and log.link.number == self.file.number and log.link.synced >= Link.END for log in later)
            or state.closed_log == self.file.number and state.closed_end >= Link.END)


def refuse_unnamed_changes(directory, state):
    """A log is named before anything is written to it: one that is not named and holds a batch proves damage."""
    for name in sorted(os.listdir(directory)):
        match = re.fullmatch(r"(\d{6,})\.log", name)
        number = int(match.group(1)) if match else None
        if number is None or number in state.logs or number < min(state.logs, default=state.number):
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
    last_sequence = state.last_sequence
    for index, log in enumerate(logs):
        later = logs[index + 1:]
        last_sequence = log.last_sequence(last_sequence)
        add_changes(log, contents)
        refuse_lost_end(log, later, state)
        if later and later[0].link and misses_end(log, later[0]):
            # A torn tail: what came after it does not count.
            return


def refuse_lost_end(log, later, state):
    """The proofs that more of a log was on stable storage once than its valid frames."""
    path, end = log.file.path, log.end
    refuse_synced_behind(log.file, end)
    if state.closed_log == log.file.number:
        check(state.closed_end <= end, path, end, "damage: the log was closed with more in it")
    if not later or not later[0].link or not misses_end(log, later[0]):
        return
    check(later[0].link.synced <= end, path, end, f"damage: {later[0].file.path} says that more of it was synced")
    for index, other in enumerate(later):
        check(not other.was_synced(state, later[index + 1:]), path, end,
              f"damage: {other.file.path} was synced after more was in this one")


def misses_end(log, next_log):
    """Whether a log ends before the end that the next one's link states; any other difference is damage."""
    link = next_log.link
    if link.number == log.file.number and link.end > log.end:
        return True
    check((link.number, link.end, link.checksum) == (log.file.number, log.end, log.last_checksum), next_log.file.path, 64,
          f"the log does not follow {log.file.path} as that ends at {log.end}")
    return False


def add_changes(log, contents):
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
