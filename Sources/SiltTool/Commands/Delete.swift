import Siltstone

extension Command {
    static let delete = Command(
        name: "delete", operands: "STORE KEY", summary: "remove a key and its value",
        discussion: """
            Removes KEY. When the command returns, the removal is on stable storage. Where the
            key is missing nothing changes and the exit status is 1.
            """,
        options: [.keyHex, .keyBase64],
        examples: ["silt delete people.silt ada"],
        run: Delete.run)
}

private enum Delete {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let text = invocation.operand(1) ?? ""
        let key = try invocation.key(text)
        let wasThere = try invocation.writing { try $0.remove(key, durability: .synced) }
        if !wasThere { throw ToolError(.negative, "the key '\(text)' is not in the store") }
        return .success
    }
}
