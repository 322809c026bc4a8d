"""Segments: records in key order."""

import os
import struct
import zlib

from bytes_and_files import Fields, StoreFile, check, crc, round_up, u32, u64
from point_index import HashIndex
from values import Pointer

VALUE, TOMBSTONE, POINTER = 1, 2, 3
UNIT = 64
COMPRESSED, DIGESTS = 1, 2


class Footer:
    """The last 128 bytes, which tell where everything else lies."""

    SIZE = 128

    def __init__(self, file):
        self.offset = len(file.data) - self.SIZE
        check(self.offset >= StoreFile.HEADER, file.path, len(file.data), "the segment is too short for a footer")
        data = file.data[self.offset:]
        (magic, self.data_offset, self.logical_bytes, self.stored_bytes, self.index_offset, self.pages,
         self.page_buckets, self.address_bits, self.window_shift, _, self.metadata_offset, *self.lengths,
         self.blocks, self.metadata_checksum, _, self.checksum) = struct.unpack("<8sQQQQIIBB6sQQQQQQII12sI", data)
        check(magic == b"SILTFOOT", file.path, self.offset, "there is no footer")
        check(crc(u32(file.header_checksum), data[:124]) == self.checksum, file.path, self.offset,
              "the footer fails its checksum")


class Fence:
    """What the block index says about a block."""

    def __init__(self, fields):
        self.length = UNIT * fields.varint()
        continued = fields.varint()
        # The sequence number of the first record, where that goes on with the key of the record before it.
        self.continued = continued - 1 if continued > 0 else None
        self.key = fields.prefixed()


class Record:
    def __init__(self, kind, key, value, sequence, address):
        self.kind, self.key, self.value, self.sequence, self.address = kind, key, value, sequence, address


class Segment:
    """All that a segment holds: `records` in their order, and `ranges` that it deletes."""

    def __init__(self, directory, info, identity):
        self.file = StoreFile(directory, "segment", info.number, identity)
        self.path, self.data = self.file.path, self.file.data
        check(len(self.data) == info.file_bytes, self.path, len(self.data),
              f"the segment has {len(self.data)} bytes, the manifest says {info.file_bytes}")
        check(self.file.parameter == 6, self.path, 48, "the parameter is not 6")
        self.footer = Footer(self.file)
        check(self.footer.checksum == info.footer_checksum, self.path, self.footer.offset,
              "the manifest knows another footer")
        fences, table, checksums, ranges, properties = self.metadata()
        self.fences = self.read_fences(fences)
        self.ranges = self.read_ranges(ranges)
        self.records = list(self.read_records(table))
        self.check_properties(info, properties)
        HashIndex(self, checksums).check()

    def metadata(self):
        """The parts of the metadata, each as fields."""
        footer = self.footer
        whole = self.data[footer.metadata_offset:footer.offset]
        check(len(whole) == sum(footer.lengths), self.path, footer.metadata_offset, "the metadata has another length")
        check(crc(whole) == footer.metadata_checksum, self.path, footer.metadata_offset,
              "the metadata fails its checksum")
        offset = footer.metadata_offset
        for length in footer.lengths:
            yield Fields(self.data[offset:offset + length], self.path, offset)
            offset += length

    def read_fences(self, fields):
        fences = [Fence(fields) for _ in range(self.footer.blocks)]
        check(fields.is_at_end, self.path, fields.base, "the block index is too long")
        check(sum(fence.length for fence in fences) == self.footer.logical_bytes, self.path, fields.base,
              "the blocks have another length in all")
        check(not fences or fences[0].key == b"", self.path, fields.base, "the first fence is not empty")
        return fences

    def read_ranges(self, fields):
        ranges = []
        while not fields.is_at_end:
            sequence = fields.varint()
            ranges.append((fields.prefixed(), fields.prefixed(), sequence))
        starts = [start for start, _, _ in ranges]
        check(starts == sorted(starts), self.path, fields.base, "the range tombstones are not in order")
        return ranges

    # --- Blocks ---

    def blocks(self, table):
        """Logical address, file offset and bytes of each block."""
        footer = self.footer
        offset, address = footer.data_offset, 0
        for fence in self.fences:
            if self.file.features & COMPRESSED:
                length = table.varint()
                stored = round_up(16 + length, 8)
                yield address, offset, self.inflate(self.data[offset:offset + stored], offset, address, fence, length)
            else:
                stored = fence.length
                yield address, offset, self.data[offset:offset + stored]
            offset += stored
            address += fence.length
        check(table.is_at_end, self.path, table.base, "the block table is too long")
        check(offset == footer.data_offset + footer.stored_bytes, self.path, offset, "the blocks take another length")
        check(not any(self.data[offset:footer.index_offset]), self.path, offset, "the gap before the index is not zero")

    def inflate(self, data, offset, address, fence, length):
        checksum, logical, units, payload_length = struct.unpack("<IIII", data[:16])
        check(crc(u64(self.file.number), data[4:]) == checksum, self.path, offset, "a stored block fails its checksum")
        check((logical * UNIT, units * UNIT, payload_length) == (address, fence.length, length), self.path, offset,
              "a stored block is another one")
        payload = data[16:16 + length]
        return payload if length == fence.length else zlib.decompress(payload, -15, fence.length)

    def read_records(self, table):
        before = None
        for (address, offset, block), fence in zip(self.blocks(table), self.fences):
            place = (self.path, offset)
            check(len(block) == fence.length, *place, "a block has another length")
            checksum, count, units = struct.unpack("<IHH", block[:8])
            check(crc(u64(self.file.number), u64(address), block[4:]) == checksum, *place, "a block fails its checksum")
            check(count > 0 and units == (fence.length // UNIT if fence.length < UNIT << 16 else 0), *place,
                  "the header of a block is wrong")
            has_digests = self.file.features & DIGESTS != 0
            end = len(block) - (4 if has_digests else 2) * count
            fields = Fields(block[:end], self.path, offset)
            fields.position = 24 if has_digests else 8
            keys = []
            for index in range(count):
                (slot,) = struct.unpack_from("<H", block, len(block) - 2 * index - 2)
                check(slot == fields.position, *place, f"slot {index} leads to no record")
                record, continues = self.read_record(fields, address)
                check(continues == (before is not None and before.key == record.key), *place,
                      f"record {index} is marked wrong")
                check(before is None or before.key < record.key or continues and before.sequence > record.sequence,
                      *place, f"record {index} is out of order")
                if index == 0:
                    check(fence.continued == (record.sequence if continues else None), *place, "the fence is wrong")
                    check(fence.key <= record.key and (continues or before is None or before.key < fence.key), *place,
                          "the fence does not part the blocks")
                yield record
                before = record
                keys.append(record.key)
            check(not any(block[fields.position:end]), *place, "there is something behind the last record")
            if has_digests:
                self.check_digests(block, keys, place)

    @staticmethod
    def check_digests(block, keys, place):
        skip = min(len(os.path.commonprefix([keys[0], keys[-1]])), 0xFFFF)
        words = [int.from_bytes(key[skip:skip + 8].ljust(8, b"\0"), "big") for key in keys]
        shift = 0
        while words[-1] - words[0] >> shift > 0xFFFF:
            shift += 1
        check(struct.unpack("<HBBIQ", block[8:24]) == (skip, shift, 0, 0, words[0]), *place,
              "the digests of a block have another scale")
        digests = struct.unpack_from(f"<{len(keys)}H", block, len(block) - 4 * len(keys))
        check(digests == tuple(word - words[0] >> shift for word in words), *place, "a digest is not that of its key")

    def read_record(self, fields, block_address):
        address = block_address + fields.position
        (byte,) = fields.bytes(1)
        key_length, value_length, sequence = fields.varint(), fields.varint(), fields.varint()
        key, value = fields.bytes(key_length), fields.bytes(value_length)
        kind = byte & 0x7F
        check(kind in (VALUE, TOMBSTONE, POINTER), fields.path, fields.base + fields.position, "a kind is unknown")
        return Record(kind, key, value, sequence, address), byte >= 0x80

    # --- What it adds up to ---

    def check_properties(self, info, fields):
        """Compares what was found with what properties and manifest say."""
        content = fields.bytes(len(fields.data))
        check(content == info.properties, self.path, fields.base, "properties and manifest differ")
        sequences = [record.sequence for record in self.records] + [sequence for _, _, sequence in self.ranges]
        first = [record.key for record in self.records[:1]] + [start for start, _, _ in self.ranges]
        last = [record.key for record in self.records[-1:]] + [end for _, end, _ in self.ranges]
        found = {
            "records": len(self.records),
            "tombstones": sum(record.kind == TOMBSTONE for record in self.records),
            "range_tombstones": len(self.ranges),
            "smallest": min(sequences, default=0),
            "greatest": max(sequences, default=0),
            "user_bytes": sum(len(record.key) + len(record.value) for record in self.records),
            "first_key": min(first, default=b""),
            "last_key": max(last, default=b""),
            "value_bytes": self.referred_bytes(),
        }
        for name, value in found.items():
            stated = getattr(info, name)
            check(stated == value, self.path, fields.base, f"the properties say {name} = {stated!r}, not {value!r}")

    def referred_bytes(self):
        referred = {}
        for record in self.records:
            if record.kind == POINTER:
                pointer = Pointer(record.value)
                size = round_up(24 + len(record.key) + pointer.length, 8)
                referred[pointer.file] = referred.get(pointer.file, 0) + size
        return referred

    def add_to(self, contents):
        contents.ranges += self.ranges
        for record in self.records:
            value = {VALUE: record.value, TOMBSTONE: None}.get(record.kind)
            contents.add(record.key, record.sequence, Pointer(record.value) if record.kind == POINTER else value)


def read_segments(directory, state, contents):
    """Reads every live segment; the newest first, so that of two versions with sequence number 0 the newer one stays."""
    runs = {}
    for info in sorted(state.segments.values(), key=lambda info: (info.level, -info.run, info.first_key)):
        segment = Segment(directory, info, state.identity)
        segment.add_to(contents)
        runs.setdefault((info.level, info.run), []).append(segment)
    for run in runs.values():
        for left, right in zip(run, run[1:]):
            keys = [record.key for record in left.records[-1:] + right.records[:1]]
            check(len(keys) < 2 or keys[0] < keys[1], right.path, 0,
                  f"overlaps {os.path.basename(left.path)} of the same run")
