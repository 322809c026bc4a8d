/// The pieces in which a file is written: Linux keeps what one call writes in one folio of the page cache, contiguous in
/// memory, if it is of such a size and begins at a multiple of it.
enum OutputPieces: Int, Sendable {
    /// For what is soon merged and gone: many entries of the page table for each, but memory for it is at hand.
    case soon = 0x8_0000
    /// 2 MiB, which one entry of the page table maps on most processors: random reads take a fifth less time. Memory in
    /// pieces of this size is harder to come by; on a virtual machine, it is what was given back to the host.
    case lasting = 0x20_0000
}
