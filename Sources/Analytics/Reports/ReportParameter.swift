/// A parameter of a report; a name may come several times.
public struct ReportParameter: Sendable, Hashable {
    /// Such as `from`.
    public let name: String
    /// Its text, decoded.
    public let value: String

    /// Makes a parameter.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}
