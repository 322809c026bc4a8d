/// An integer type other than `Int`. Its columns also compare with any `Int`, even out of the type's range.
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
