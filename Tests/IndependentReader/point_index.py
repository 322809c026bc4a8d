"""The hash index of a segment, looked up as the format describes it."""

import struct

from bytes_and_files import check, crc

BUCKET = 64
ENTRIES = 12
S0, S1, S2 = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & MASK


def word(key, offset):
    return int.from_bytes(key[offset:offset + 8], "little")


def hash_key(key):
    n = len(key)
    if n < 8:
        return fold(fold(word(key, 0) ^ S0, S1 ^ n), S2)
    last = word(key, n - 8)
    if n <= 16:
        return fold(fold(word(key, 0) ^ S0, last ^ S1 ^ n), S2)
    state = S1 ^ n
    offset = 0
    while offset + 8 < n:
        state = fold(word(key, offset) ^ S0, state ^ S2)
        offset += 8
    return fold(fold(last ^ S0, state ^ S2), S2)


class HashIndex:
    def __init__(self, segment, checksums):
        footer = segment.footer
        self.segment, self.path = segment, segment.path
        self.offset, self.pages, self.page_buckets = footer.index_offset, footer.pages, footer.page_buckets
        self.address_bits = footer.address_bits
        self.data = segment.data[self.offset:footer.metadata_offset]
        page_bytes = BUCKET * self.page_buckets
        check(len(self.data) == self.pages * page_bytes, self.path, self.offset, "the index has another length")
        for page in range(self.pages):
            (checksum,) = checksums.fixed("I")
            start = page * page_bytes
            check(crc(self.data[start:start + page_bytes]) == checksum, self.path, self.offset + start,
                  "a page of the index fails its checksum")
        check(checksums.is_at_end, self.path, checksums.base, "there are more checksums than pages")

    def check(self):
        """Looks up the newest version of every key, and counts the entries: none is missing, and none too many."""
        if self.pages == 0:
            return
        newest = {}
        for record in self.segment.records:
            newest.setdefault(record.key, record.address)
        for key, address in newest.items():
            check(address in self.candidates(key), self.path, self.offset, f"the index does not lead to the key {key!r}")
        entries = sum(
            fingerprint != 0 for bucket in range(0, len(self.data), BUCKET)
            for fingerprint in self.data[bucket:bucket + ENTRIES])
        check(entries == len(newest), self.path, self.offset, f"the index has {entries} entries for {len(newest)} keys")

    def candidates(self, key):
        """The addresses at which the key may be."""
        h = hash_key(key)
        page = (h * self.pages) >> 64
        bucket = h % self.page_buckets
        fingerprint = 1 + ((((h >> 6) % 256) * 255) >> 8)
        hash_bits = (h >> 19) & ((1 << (32 - self.address_bits)) - 1)
        for _ in range(self.page_buckets):
            start = (page * self.page_buckets + bucket) * BUCKET
            (overflow,) = struct.unpack_from("<I", self.data, start + ENTRIES)
            for entry, stored in enumerate(self.data[start:start + ENTRIES]):
                (entry_word,) = struct.unpack_from("<I", self.data, start + 16 + 4 * entry)
                if stored == fingerprint and entry_word >> self.address_bits == hash_bits:
                    yield entry_word & ((1 << self.address_bits) - 1)
            if not overflow >> ((h >> 14) % 32) & 1:
                return
            bucket = (bucket + 1) % self.page_buckets
