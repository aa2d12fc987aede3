/// A parameter of a report; a name may be repeated.
public struct ReportParameter: Sendable, Hashable {
    /// The name, such as `from`.
    public let name: String
    /// The decoded value.
    public let value: String

    /// Creates a parameter.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}
