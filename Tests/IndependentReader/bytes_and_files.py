"""Fields, checksums and file headers."""

import os
import struct
import zlib


class Damaged(Exception):
    """Bytes that contradict the format."""

    def __init__(self, path, offset, what):
        super().__init__(f"{path}, offset {offset}: {what}")


def check(condition, path, offset, what):
    if not condition:
        raise Damaged(path, offset, what)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise Damaged(path, 0, "the file does not exist") from None


def crc(*parts):
    """The checksum of several byte strings, one after the other."""
    value = 0
    for part in parts:
        value = zlib.crc32(part, value)
    return value


def u32(number):
    return struct.pack("<I", number)


def u64(number):
    return struct.pack("<Q", number)


def round_up(number, multiple):
    return (number + multiple - 1) // multiple * multiple


class Fields:
    """Reads fields from bytes, one after the other; never beyond the end."""

    def __init__(self, data, path, base=0):
        self.data, self.path, self.base, self.position = data, path, base, 0

    @property
    def is_at_end(self):
        return self.position == len(self.data)

    def bytes(self, count):
        end = self.position + count
        check(end <= len(self.data), self.path, self.base + self.position, f"{count} bytes go beyond the end")
        part = self.data[self.position:end]
        self.position = end
        return part

    def fixed(self, form):
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))

    def varint(self):
        value = 0
        for index in range(10):
            byte = self.bytes(1)[0]
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                check(value < 1 << 64, self.path, self.base + self.position, "a varint is over 64 bits")
                return value
        raise Damaged(self.path, self.base + self.position, "a varint is longer than ten bytes")

    def prefixed(self):
        """Bytes with their count before them."""
        return self.bytes(self.varint())


class StoreFile:
    """The bytes of a file, its header checked."""

    HEADER = 64
    MAGIC = {"manifest": b"SILTMAN\n", "log": b"SILTLOG\n", "segment": b"SILTSEG\n", "values": b"SILTVAL\n"}
    # Feature bits that this reader knows.
    KNOWN_FEATURES = {"manifest": 0, "log": 0, "segment": 3, "values": 0}

    def __init__(self, directory, kind, number, identity=None):
        self.kind, self.number = kind, number
        self.path = os.path.join(directory, f"{number:06d}.{kind}")
        self.data = read(self.path)
        header = self.data[:self.HEADER]
        check(len(header) == self.HEADER, self.path, len(header), "the file is shorter than its header")
        (magic, version, self.features, _, _, self.identity, stated, self.parameter, _, self.header_checksum) = (
            struct.unpack("<8sIIII16sQQII", header))
        check(magic == self.MAGIC[kind], self.path, 0, f"this is no {kind} file")
        check(crc(header[:60]) == self.header_checksum, self.path, 60, "the header fails its checksum")
        check(version == 1, self.path, 8, f"format version {version} is unknown")
        unknown = self.features & ~self.KNOWN_FEATURES[kind]
        check(unknown == 0, self.path, 12, f"feature bits {unknown:#x} are unknown")
        check(stated == number, self.path, 40, f"the header says that this is file {stated}")
        check(identity in (None, self.identity), self.path, 24, "the file belongs to another store")
