/// A field of an input object that stands alone.
public struct ConstObjectField: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its value.
    public var value: ConstValue

    /// A field by its name and value.
    public init(name: String, value: ConstValue) {
        self.name = name
        self.value = value
    }
}
