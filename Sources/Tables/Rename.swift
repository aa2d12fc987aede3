/// A table or column that the schema has under another name than the store. Its data stays.
public enum Rename: Sendable, Hashable {
    /// The stored table with the name `old` becomes the declared table `new`.
    case table(old: String, new: String)
    /// The stored column `old` becomes the declared column `new`. The table is named as it is declared.
    case column(table: String, old: String, new: String)
}
