/// One crash: what it leaves of a tree of directories.
struct Crash {
    var random: SplitMix64
    /// The probability that something has happened that no sync covers; nil if only the processes die.
    let survival: Double?

    /// What became of each change of an entry, so that those who depend on it agree.
    private var fates: [ObjectIdentifier: Bool] = [:]
    private var files: [ObjectIdentifier: FileImage] = [:]

    init(random: SplitMix64, survival: Double?) {
        self.random = random
        self.survival = survival
    }

    /// What is left of a directory. In the order of names, so that it follows from the seed.
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

    /// What is left of a file, the same under all its names.
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
