import Tables

extension AppDay {
    /// The number as an attribute.
    var value: Value { .integer(number) }
}
