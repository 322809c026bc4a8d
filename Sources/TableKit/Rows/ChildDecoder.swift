/// Decodes the rows of one join as values of a type that is known where the decoder is made: ``of(_:)``.
public class ChildDecoder {
    init() {}

    /// A decoder for a join whose property is `[Child]?`.
    public static func of<Child: Decodable>(_ child: Child.Type) -> ChildDecoder { ChildDecoder() }
}
