extension Unmanaged {
    /// As `_withUnsafeGuaranteedRef`, for a body that throws.
    @inline(__always)
    func _withUnsafeGuaranteedRefThrowing<R, E: Error>(_ body: (Instance) throws(E) -> R) throws(E) -> R {
        // Whoever took the reference keeps the object alive; the local constant costs no more than that.
        let instance = takeUnretainedValue()
        return try body(instance)
    }
}
