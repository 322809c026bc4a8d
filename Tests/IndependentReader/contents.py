"""What a store holds, once all its files have been read."""


class Contents:
    """The newest version of every key, and the ranges that were deleted."""

    def __init__(self):
        self.newest, self.ranges = {}, []

    def add(self, key, sequence, value):
        """Adds a version of a key: its value as bytes or pointer, or None for a tombstone."""
        known = self.newest.get(key)
        if known is None or sequence > known[0]:
            self.newest[key] = (sequence, value)

    def live(self):
        """Keys and values, in key order."""
        for key in sorted(self.newest):
            sequence, value = self.newest[key]
            if value is None:
                continue
            if any(start <= key < end and sequence < deleted for start, end, deleted in self.ranges):
                continue
            yield key, value
