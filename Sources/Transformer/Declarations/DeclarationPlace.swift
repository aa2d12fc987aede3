public import GraphQL

/// Where a declaration stands in the sources. All places are equal, so that two declarations that say the same are equal
/// wherever they stand.
public struct DeclarationPlace: Sendable, Hashable {
    /// The place; nil of what was generated.
    public var place: Place?

    /// A place in a source.
    public init(_ place: Place? = nil) { self.place = place }

    /// Always true.
    public static func == (first: DeclarationPlace, second: DeclarationPlace) -> Bool { true }

    /// Feeds nothing.
    public func hash(into hasher: inout Hasher) {}
}
