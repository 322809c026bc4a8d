/// A type whose table has a name other than the type's.
public protocol TableNameProvider {
    /// The name of the table.
    static var tableName: String { get }
}

extension Decodable {
    // The name in Perfect-CRUD.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The name of the type's table: ``TableNameProvider/tableName``, else the unqualified name of the type.
    public static var CRUDTableName: String {
        (Self.self as? any TableNameProvider.Type)?.tableName ?? "\(Self.self)"
    }
}
