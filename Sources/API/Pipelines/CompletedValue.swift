import JSON

/// What `Completion` asks of a JSON value, as it was read or as it was gathered.
protocol CompletedValue {
    /// The value itself; asked of leaves alone.
    var json: JSONValue { get }
    var isNull: Bool { get }
    /// The elements of a list; nil of another value.
    var elements: [Self]? { get }
    /// The members of an object; nil of another value.
    var members: JSONObject? { get }
    /// The row that fields of the object find what was gathered for them by; nil where nothing was.
    var row: ObjectRow? { get }
    /// A member of an object, as a field reads it; null where there is none.
    func member(_ name: String, for field: PlannedField) -> Self
}
