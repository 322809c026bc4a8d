/// Where tasks wait for each other, to set off at once: started one by one, each would be done before the next.
actor StartLine {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a line for a number of tasks.
    init(tasks: Int) { missing = tasks }

    /// Waits until all tasks have come here.
    func wait() async {
        missing -= 1
        if missing > 0 { return await withCheckedContinuation { waiting.append($0) } }
        for waiter in waiting { waiter.resume() }
    }
}
