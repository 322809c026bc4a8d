/// The size of a write call. Linux keeps the data of one call in one folio of the page cache, which is contiguous in
/// memory, if the call has a folio's size and starts at a multiple of it.
enum OutputPieces: Int, Sendable {
    /// 512 KiB, for files that are soon merged and removed. Each folio takes many page-table entries, but memory of
    /// this size is easy to allocate.
    case soon = 0x8_0000
    /// 2 MiB, which most processors map with one page-table entry. Random reads then take a fifth less time. Free
    /// memory in folios of this size is scarcer. On a virtual machine it is the memory that was returned to the host.
    case lasting = 0x20_0000
}
