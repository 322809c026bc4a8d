/// All that can happen to the files of one store as a whole: what is not done byte by byte.
struct DamageCatalogue {
    let sample: SampleStore
    /// Another store of the same shape, with the same names.
    let stranger: StoreFiles

    private var files: StoreFiles { sample.files }

    /// Everything that happens to whole files.
    func whole() -> [Damage] { lengthenings() + missing() + directories() + swaps() + foreign() + older() }

    private func each(_ make: (_ name: String, _ bytes: [UInt8]) -> [Damage]) -> [Damage] {
        files.names.flatMap { make($0, files.bytes($0) ?? []) }
    }

    func lengthenings() -> [Damage] {
        var random = SeededGenerator(UInt64(files.byteCount))
        return each { name, bytes in
            [1, 7, 8, 64, 500, 5000].flatMap { count in
                [
                    Damage(
                        .lengthen, name, "\(count) zeros behind it", bytes + [UInt8](repeating: 0, count: count)),
                    Damage(.lengthen, name, "\(count) random bytes behind it", bytes + random.bytes(count)),
                    Damage(.lengthen, name, "\(count) of its own bytes behind it", bytes + bytes.prefix(count)),
                ]
            }
        }
    }

    func missing() -> [Damage] { each { name, _ in [Damage(.missing, "\(name) is missing", [name: nil])] } }

    func directories() -> [Damage] {
        each { name, _ in [Damage(.directory, "\(name) is a directory", [name: .directory])] }
    }

    func swaps() -> [Damage] {
        files.names.flatMap { one in
            files.names.filter { one < $0 }.map { other in
                Damage(
                    .swap, "\(one) and \(other) changed places", [one: files.entries[other], other: files.entries[one]])
            }
        }
    }

    /// Every 64 bytes of every file, written where other bytes belong: in the same file and in the others; and every
    /// whole block, frame and value in the place of another one.
    func misplaced() -> [Damage] {
        let extents = Set(sample.versions.flatMap(\.proof)).sorted {
            ($0.file, $0.range.lowerBound) < ($1.file, $1.range.lowerBound)
        }
        var damages = extents.flatMap { from in
            extents.filter { $0 != from }.map { to in place(from, at: to.range.lowerBound, of: to.file) }
        }
        for from in pages() {
            for to in pages() where to != from { damages.append(place(from, at: to.range.lowerBound, of: to.file)) }
        }
        return damages
    }

    private func pages() -> [Extent] {
        files.names.flatMap { name in
            stride(from: 0, to: max(0, (files.bytes(name)?.count ?? 0) - 63), by: 64).map {
                Extent(file: name, range: $0..<$0 + 64)
            }
        }
    }

    private func place(_ from: Extent, at offset: Int, of name: String) -> Damage {
        let piece = (files.bytes(from.file) ?? [])[from.range]
        var bytes = files.bytes(name) ?? []
        let end = min(offset + piece.count, bytes.count)
        bytes.replaceSubrange(offset..<end, with: piece.prefix(end - offset))
        return Damage(
            .misplaced, name, "bytes \(from.range) of \(from.file) written at \(offset)", bytes)
    }

    func foreign() -> [Damage] {
        files.names.compactMap { name in
            stranger.bytes(name).map { Damage(.foreign, name, "of another store", $0) }
        }
    }

    /// Each file as it was earlier, and each two of those that have changed since.
    func older() -> [Damage] {
        sample.earlier.enumerated().flatMap { index, moment in
            let changed = moment.files.names.filter { moment.files.entries[$0] != files.entries[$0] }
            let one = changed.map { [$0] }
            let two = changed.flatMap { one in changed.filter { one < $0 }.map { [one, $0] } }
            return (one + two + [changed]).map { names in
                Damage(
                    .older, "\(names.joined(separator: ", ")) as of moment \(index)",
                    Dictionary(uniqueKeysWithValues: names.map { ($0, moment.files.entries[$0]) }))
            }
        }
    }
}
