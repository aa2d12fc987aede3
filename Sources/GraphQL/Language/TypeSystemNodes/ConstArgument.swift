/// An argument of an applied directive.
public struct ConstArgument: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its value.
    public var value: ConstValue
    /// Where it begins.
    public var place: Place?

    /// An argument by its parts.
    public init(name: String, value: ConstValue, place: Place? = nil) {
        self.name = name
        self.value = value
        self.place = place
    }
}
