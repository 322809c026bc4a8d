/// Lets tasks start together. Otherwise each would end before the next one starts.
actor StartLine {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a start line for a number of tasks.
    init(tasks: Int) { missing = tasks }

    /// Waits until all tasks have arrived.
    func wait() async {
        missing -= 1
        if missing > 0 { return await withCheckedContinuation { waiting.append($0) } }
        for waiter in waiting { waiter.resume() }
    }
}
