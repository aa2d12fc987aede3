/// A definition of a schema inside an executable document.
public struct NonExecutableDefinition: Sendable, Hashable {
    /// Its name, or `schema`.
    public var name: String
    /// Where it begins.
    public var offset: UInt32
}
