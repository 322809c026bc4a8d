/// A type whose table has another name than the type.
public protocol TableNameProvider {
    /// The name of the table.
    static var tableName: String { get }
}

extension Decodable {
    // The name that Perfect-CRUD gave it.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The name of the type's table: ``TableNameProvider/tableName``, else the unqualified name of the type.
    public static var CRUDTableName: String {
        (Self.self as? any TableNameProvider.Type)?.tableName ?? "\(Self.self)"
    }
}
