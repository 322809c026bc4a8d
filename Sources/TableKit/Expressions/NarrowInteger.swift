/// The integers other than `Int`: their columns also compare with an `Int`, which may be out of their range. A value out of
/// range equals none of theirs.
public protocol NarrowInteger: IntegerColumn {}

extension Int8: NarrowInteger {}
extension Int16: NarrowInteger {}
extension Int32: NarrowInteger {}
extension Int64: NarrowInteger {}
extension UInt: NarrowInteger {}
extension UInt8: NarrowInteger {}
extension UInt16: NarrowInteger {}
extension UInt32: NarrowInteger {}
extension UInt64: NarrowInteger {}
