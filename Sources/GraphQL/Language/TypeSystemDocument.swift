// A type system document (spec §3) as an ordinary tree of values: the transformer builds and rewrites it, and a
// schema is read once, so what counts is that each part stands alone. Parts that were generated have no place.

/// Definitions and extensions of a type system, from one or several sources.
public struct TypeSystemDocument: Sendable {
    /// The definitions in the order of the text.
    public var definitions: [TypeSystemDefinition]
    /// The texts they were parsed from; a `Place` names one of them.
    public var sources: [Source]

    /// A document of definitions.
    public init(_ definitions: [TypeSystemDefinition] = [], sources: [Source] = []) {
        self.definitions = definitions
        self.sources = sources
    }

    /// Line and column of a place; nil for what was generated.
    public func location(of place: Place?) -> SourceLocation? {
        guard let place, sources.indices.contains(place.source) else { return nil }
        return sources[place.source].location(of: place.offset)
    }

    /// `schema.graphql:3:9` of a place, for messages; nil for what was generated.
    public func description(of place: Place?) -> String? {
        guard let place, let location = location(of: place) else { return nil }
        return "\(sources[place.source].name):\(location.line):\(location.column)"
    }
}
