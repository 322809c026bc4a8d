@testable import Siltstone

/// The input is all files of a store (``FileBundle``).
enum StoreTarget {
    static func run(_ bytes: [UInt8]) throws { try StoreAttack.run(FileBundle(bytes).byName) }

    /// Seals each file, then makes the manifest say of the segments what they say of themselves: it knows their sizes and
    /// checksums, and would refuse each one that was changed.
    static func seal(_ bytes: inout [UInt8]) {
        var bundle = FileBundle(bytes)
        for index in bundle.files.indices { seal(&bundle.files[index]) }
        adapt(&bundle)
        bytes = bundle.encoded()
    }

    private static func seal(_ file: inout FileBundle.File) {
        let identity = FuzzFiles.identity
        switch StoreFile(name: file.name) {
        case .log(let number):
            Seal.frames(&file.bytes, FileHeader(kind: .log, store: identity, number: number))
        case .manifest(let number):
            Seal.frames(&file.bytes, FileHeader(kind: .manifest, store: identity, number: number))
        case .values(let number):
            Seal.values(&file.bytes, FileHeader(kind: .values, store: identity, number: number))
        case .segment(let number):
            var header = FuzzFiles.segmentHeader
            header.number = number
            Seal.segment(&file.bytes, header)
        case .current: Seal.current(&file.bytes)
        case .temporaryCurrent, .lock, .scratch, nil: break
        }
    }

    /// Writes manifests anew that say something else of a segment than it does.
    private static func adapt(_ bundle: inout FileBundle) {
        let files = bundle.byName
        let fileSystem = ExactFileSystem(files: files)
        for index in bundle.files.indices {
            guard case .manifest(let number) = StoreFile(name: bundle.files[index].name),
                let state = state(of: bundle.files[index].bytes, number)
            else { continue }
            var adapted = state
            for placed in state.segments.values {
                let path = StoreFile.segment(placed.info.number).path(in: ExactFileSystem.directory)
                do {
                    let file = try fileSystem.open(path, .read)
                    let layout = try SegmentLayout(file, number: placed.info.number, store: nil, expected: nil)
                    adapted.segments[placed.info.number]?.info = layout.info
                } catch {}  // a segment that cannot be opened is attack enough
            }
            if adapted != state { bundle.files[index].bytes = manifest(adapted, number) }
        }
    }

    private static func state(of bytes: [UInt8], _ number: UInt64) -> ManifestState? {
        let path = StoreFile.manifest(number).name
        var state = ManifestState()
        do {
            let contents = try FileContents(ExactFile(path: path, bytes: bytes), mapped: true)
            let header = FileHeader(kind: .manifest, store: FuzzFiles.identity, number: number)
            var reader = FrameReader(contents, header: header, path: path)
            while let frame = try reader.next() {
                guard frame.kind == .edit else { continue }
                try state.apply(
                    try VersionEdit(frame.payload, path: path, offset: frame.offset), path: path, offset: frame.offset)
            }
            return state
        } catch { return nil }
    }

    private static func manifest(_ state: ManifestState, _ number: UInt64) -> [UInt8] {
        let header = FileHeader(kind: .manifest, store: FuzzFiles.identity, number: number)
        var bytes = header.encoded()
        let payload = state.asEdit().encoded()
        var frame = [UInt8](repeating: 0, count: FrameHeader.frameSize(payload: payload.count))
        Seal.store(UInt64(payload.count), into: &frame, 4, 4)
        Seal.store(UInt64(FrameKind.edit.rawValue), into: &frame, 28, 4)
        frame.replaceSubrange(FrameHeader.size..<FrameHeader.size + payload.count, with: payload)
        bytes += frame
        Seal.frames(&bytes, header)
        return bytes
    }
}
