// Who imports this module has the typed tables.
@_exported public import TableKit
