/// The bytes that one write call of a segment's writer passes to the kernel. If the size is a folio's and the offset is
/// a multiple of it, Linux keeps the data in one folio of the page cache, which is contiguous in memory.
enum OutputPieces: Int, Sendable {
    /// 512 KiB, for flushed segments, which are soon merged and removed. Each folio takes many page-table entries, but
    /// memory of this size is easy to allocate. With 2 MiB, a flush took half as long again.
    case shortLived = 0x8_0000
    /// 2 MiB, for the output of compactions. Most processors map it with one page-table entry, and random reads take a
    /// fifth less time. Free memory in folios of this size is scarcer: a virtual machine may have returned it to its
    /// host.
    case longLived = 0x20_0000
}
