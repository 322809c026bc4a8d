/// How a workload went, and how to tell whether it has read what it should have: that is found out after its costs were
/// taken.
struct Outcome {
    let course: Course
    private let checking: (Tally) throws -> Void

    /// - Parameter checking: throws where a tally is wrong.
    init(course: Course, checking: @escaping (Tally) throws -> Void = { _ in }) {
        self.course = course
        self.checking = checking
    }

    /// - Parameter expected: what should have been read.
    init(course: Course, expected: @escaping () -> Tally) {
        self.init(course: course) { tally in
            let expected = expected()
            if tally != expected { throw BenchmarkError("read \(tally), expected \(expected)") }
        }
    }

    /// - Throws: ``BenchmarkError`` where something wrong was read.
    func check() throws { try checking(course.tally) }
}
