extension Unmanaged {
    /// As `_withUnsafeGuaranteedRef`, for a body that throws.
    @inline(__always)
    func _withUnsafeGuaranteedRefThrowing<R, E: Error>(_ body: (Instance) throws(E) -> R) throws(E) -> R {
        try _withUnsafeGuaranteedRef { instance in Result { () throws(E) in try body(instance) } }.get()
    }
}
