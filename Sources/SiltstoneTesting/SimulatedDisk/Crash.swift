/// A crash, which determines the state of a directory tree afterwards.
struct Crash {
    var random: SplitMix64
    /// The probability that a change without a sync survives; nil if only the processes die.
    let survival: Double?

    /// Whether each change of an entry survives, remembered so that dependent changes agree.
    private var fates: [ObjectIdentifier: Bool] = [:]
    private var files: [ObjectIdentifier: FileImage] = [:]

    init(random: SplitMix64, survival: Double?) {
        self.random = random
        self.survival = survival
    }

    /// The state of a directory after the crash. Visits entries by name, so that the seed determines it.
    mutating func image(of directory: SimulatedDirectory) -> [String: DiskImage.Node] {
        let entries = survival == nil ? directory.entries : directory.survivors { happened($0) }
        var image: [String: DiskImage.Node] = [:]
        for (name, node) in entries.sorted(by: { $0.key < $1.key }) {
            switch node {
            case .file(let inode): image[name] = .file(self.image(of: inode))
            case .directory(let child): image[name] = .directory(self.image(of: child))
            }
        }
        return image
    }

    /// The state of a file after the crash, the same under all its names.
    private mutating func image(of inode: SimulatedInode) -> FileImage {
        if let known = files[ObjectIdentifier(inode)] { return known }
        let image =
            survival.map { inode.afterPowerLoss(survival: $0, &random) } ?? inode.afterProcessDeath()
        files[ObjectIdentifier(inode)] = image
        return image
    }

    private mutating func happened(_ change: EntryChange) -> Bool {
        if change.isDurable { return true }
        if let fate = fates[ObjectIdentifier(change)] { return fate }
        let mayHappen = change.prerequisite.map { happened($0) } ?? true
        let fate = mayHappen && random.chance(survival ?? 1)
        fates[ObjectIdentifier(change)] = fate
        return fate
    }
}
