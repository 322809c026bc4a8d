import Testing

@testable import Siltstone

struct HashIndexProbeTests {
    /// Addresses of 32 bits leave no room for a tag, so that nothing but the fingerprint tells entries apart.
    private static let geometry = HashIndexGeometry(pageCount: 1, bucketsPerPage: 1, addressBits: 32)

    @Test("an empty place behind a match is not taken for an entry, whatever the fingerprint", arguments: 0..<256)
    func emptyPlaces(_ bits: UInt64) {
        let hash = bits << 6
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 64)
        defer { page.deallocate() }
        page.initializeMemory(as: UInt8.self, repeating: 0)
        for place in [0, 6, 7, 8, 10] {
            page[place] = HashIndexGeometry.fingerprint(of: hash)
            page.storeBytes(of: UInt32(8 + place), toByteOffset: 16 + 4 * place, as: UInt32.self)
        }
        var probe = HashIndexProbe(MutableBytes(page).bytes, hash: hash, geometry: Self.geometry)
        var found: Set<Int> = []
        while let address = probe.next() { found.insert(address) }
        #expect(found == [8, 14, 15, 16, 18])
    }
}
