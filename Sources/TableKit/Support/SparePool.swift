import Synchronization

/// Objects that take longer to make than to use, kept for the next use: coders of a table's rows.
///
/// A coder serves one thread at a time. Each use takes one out, or makes one, and puts it back.
final class SparePool: Sendable {
    // `@unchecked Sendable`: an object is used by whoever took it out, and by nobody while it is in.
    private struct Objects: @unchecked Sendable {
        var spare: [AnyObject] = []
    }

    private static let mostSpare = 4
    private let objects = Mutex(Objects())

    /// Takes an object out, or makes one.
    func take<T: AnyObject>(_ make: () throws -> T) rethrows -> T {
        let spare = objects.withLock { $0.spare.popLast() }
        return try spare as? T ?? make()
    }

    /// Puts an object back that has no work left.
    func put(_ object: AnyObject) {
        let kept = Objects(spare: [object])
        objects.withLock { objects in
            if objects.spare.count < Self.mostSpare { objects.spare += kept.spare }
        }
    }

    /// Runs `body` with an object, which is not used again where it throws.
    func use<T: AnyObject, R>(_ make: () throws -> T, _ body: (T) throws -> R) rethrows -> R {
        let object = try take(make)
        let result = try body(object)
        put(object)
        return result
    }
}
