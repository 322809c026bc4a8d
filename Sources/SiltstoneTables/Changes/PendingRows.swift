/// The rows of pending changes, by number.
///
/// Two columns of a row may refer to one key. The change of one of them may move the row, if the column is a part of the
/// row's key, or delete it. The other change then finds the row by its number.
struct PendingRows {
    private var numbers: [[UInt8]: Int] = [:]
    /// The full keys of the rows, by number; nil: the row is gone.
    private var keys: [[UInt8]?] = []

    var isEmpty: Bool { keys.isEmpty }

    /// The number of the row with a key.
    mutating func number(of key: [UInt8]) -> Int {
        if let number = numbers[key] { return number }
        numbers[key] = keys.count
        keys.append(key)
        return keys.count - 1
    }

    /// The current key of a row; nil if the row is gone.
    func key(of number: Int) -> [UInt8]? { keys[number] }

    /// Records that a row has moved.
    /// - Parameter new: its new key; nil: the row was deleted.
    mutating func move(from old: [UInt8], to new: [UInt8]?) {
        guard let number = numbers.removeValue(forKey: old) else { return }
        keys[number] = new
        if let new { numbers[new] = number }
    }

    mutating func removeAll() {
        numbers.removeAll()
        keys.removeAll()
    }
}
