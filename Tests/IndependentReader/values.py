"""Value files: big values, apart from their keys."""

import struct

from bytes_and_files import StoreFile, crc, u64


class Pointer:
    """Where a big value lies."""

    SIZE = 24

    def __init__(self, data):
        self.file, self.offset, self.length, self.checksum = struct.unpack("<QQII", data)


class Values:
    """The value files of a store."""

    def __init__(self, directory, numbers, identity):
        self.files = {number: StoreFile(directory, "values", number, identity) for number in numbers}

    def read(self, pointer, key):
        """The value that a pointer of a key leads to, or None where it leads to no whole record."""
        file = self.files.get(pointer.file)
        if file is None or pointer.offset % 8 != 0:
            return None
        header = file.data[pointer.offset:pointer.offset + 24]
        if len(header) < 24:
            return None
        checksum, key_length, value_length, _ = struct.unpack("<IIQQ", header)
        start = pointer.offset + 24
        stored = file.data[start:start + key_length]
        value = file.data[start + key_length:start + key_length + value_length]
        is_whole = (
            checksum == pointer.checksum == crc(u64(file.number), u64(pointer.offset), header[4:], stored, value)
            and stored == key and len(value) == value_length == pointer.length)
        return value if is_whole else None
