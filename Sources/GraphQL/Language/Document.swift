// An executable document (spec §2.2–2.12) in pools of plain structs: no class, no string and no array per node, so
// that parsing is a matter of copying small values. Siblings are neighbours in their pool and a parent holds their
// range; a name is a range of the source's bytes.

/// Operations and fragments, and the pools all their parts live in. A class, so that who keeps it counts once instead of
/// once for each pool.
///
/// Memory safety: `layout` counts the bytes of all pools before they are allocated, and places do not overlap. Only `Nodes`
/// read the memory; they keep the document and check their positions.
@safe public final class Document: Sendable {
    /// The text the document was parsed from.
    public let source: Source
    /// Definitions that belong into a schema; validation refuses them (spec §5.1.1).
    public let nonExecutableDefinitions: [NonExecutableDefinition]
    /// The deepest nesting of selection sets, lists and objects as they are written.
    public let nesting: Int
    /// Bytes of the source and of all pools.
    public let byteCount: Int
    /// All pools one after the other, in one piece of memory. Any thread may read it: `init` alone writes it, before anybody
    /// else has the document, and `deinit` alone frees it.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    private let places: Places

    /// Where each pool is.
    private struct Places {
        let operations: NodePlace<OperationDefinition>
        let fragments: NodePlace<FragmentDefinition>
        let selections: NodePlace<Selection>
        let arguments: NodePlace<Argument>
        let values: NodePlace<ValueNode>
        let objectFields: NodePlace<ObjectField>
        let directives: NodePlace<Directive>
        let variableDefinitions: NodePlace<VariableDefinition>
        let types: NodePlace<TypeReference>
    }

    /// Copies the pools.
    init(
        source: Source, nonExecutableDefinitions: [NonExecutableDefinition], nesting: Int, pools: borrowing NodePools
    ) {
        self.source = source
        self.nonExecutableDefinitions = nonExecutableDefinitions
        self.nesting = nesting
        var layout = NodeLayout()
        places = Places(
            operations: layout.place(of: pools.operations), fragments: layout.place(of: pools.fragments),
            selections: layout.place(of: pools.selections), arguments: layout.place(of: pools.arguments),
            values: layout.place(of: pools.values), objectFields: layout.place(of: pools.objectFields),
            directives: layout.place(of: pools.directives),
            variableDefinitions: layout.place(of: pools.variableDefinitions), types: layout.place(of: pools.types))
        byteCount = source.bytes.count + layout.byteCount
        unsafe memory = .allocate(byteCount: layout.byteCount, alignment: NodeLayout.alignment)
        unsafe pools.operations.copy(to: memory, at: places.operations)
        unsafe pools.fragments.copy(to: memory, at: places.fragments)
        unsafe pools.selections.copy(to: memory, at: places.selections)
        unsafe pools.arguments.copy(to: memory, at: places.arguments)
        unsafe pools.values.copy(to: memory, at: places.values)
        unsafe pools.objectFields.copy(to: memory, at: places.objectFields)
        unsafe pools.directives.copy(to: memory, at: places.directives)
        unsafe pools.variableDefinitions.copy(to: memory, at: places.variableDefinitions)
        unsafe pools.types.copy(to: memory, at: places.types)
    }

    deinit { unsafe memory.deallocate() }

    /// The operations in the order of the text.
    public var operations: Nodes<OperationDefinition> { nodes(places.operations) }
    /// The fragments in the order of the text.
    public var fragments: Nodes<FragmentDefinition> { nodes(places.fragments) }
    /// The pool of selections.
    public var selections: Nodes<Selection> { nodes(places.selections) }
    /// The pool of arguments.
    public var arguments: Nodes<Argument> { nodes(places.arguments) }
    /// The pool of list elements; other values stand where they are used.
    public var values: Nodes<ValueNode> { nodes(places.values) }
    /// The pool of input object fields.
    public var objectFields: Nodes<ObjectField> { nodes(places.objectFields) }
    /// The pool of directives.
    public var directives: Nodes<Directive> { nodes(places.directives) }
    /// The pool of variable definitions.
    public var variableDefinitions: Nodes<VariableDefinition> { nodes(places.variableDefinitions) }
    /// The pool of type references; a wrapper points to what it wraps.
    public var types: Nodes<TypeReference> { nodes(places.types) }

    @inline(__always) private func nodes<Node>(_ place: NodePlace<Node>) -> Nodes<Node> {
        unsafe Nodes(of: self, base: place.base(in: memory), count: Int(place.count))
    }
}

/// Nodes of a document that stand next to one another: a pool, or siblings in it. Keeps the document.
@safe public struct Nodes<Node: Sendable & BitwiseCopyable>: RandomAccessCollection, Sendable {
    /// Owns what `base` points to, and never changes it.
    private let document: Document
    /// Within `document.memory`, where so many nodes were put; any thread may read them, as it says there.
    private nonisolated(unsafe) let base: UnsafePointer<Node>
    /// How many nodes.
    public let count: Int

    @inline(__always) fileprivate init(of document: Document, base: UnsafePointer<Node>, count: Int) {
        self.document = document
        unsafe self.base = unsafe base
        self.count = count
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// One more than the last node's.
    public var endIndex: Int { count }

    /// The node of this number, which must be at least zero and below `count`.
    public subscript(position: Int) -> Node {
        @inline(__always) get {
            precondition(0 <= position && position < count, "A node beyond the end.")
            return withExtendedLifetime(document) { unsafe base[position] }
        }
    }

    /// The siblings of this range, which must lie in this pool.
    subscript(range: NodeRange<Node>) -> Nodes<Node> {
        @inline(__always) get {
            precondition(range.indices.upperBound <= count, "Nodes beyond the end.")
            return unsafe Nodes(of: document, base: base + range.indices.lowerBound, count: Int(range.count))
        }
    }
}

/// A name as a range of the source's bytes. Two names are compared by `Document.areEqual`, never by their ranges.
public struct Name: Sendable, BitwiseCopyable {
    /// The first byte.
    public var start: UInt32
    /// How many bytes.
    public var count: UInt32

    /// A name by its range.
    @inlinable public init(start: UInt32, count: UInt32) {
        self.start = start
        self.count = count
    }
}

/// A range of siblings in the pool of their kind.
public struct NodeRange<Node>: Sendable, Hashable, BitwiseCopyable {
    /// The first sibling.
    public var start: UInt32
    /// How many siblings.
    public var count: UInt32

    /// Siblings by their range.
    @inlinable public init(start: UInt32, count: UInt32) {
        self.start = start
        self.count = count
    }

    /// No sibling.
    @inlinable public static var none: Self { Self(start: 0, count: 0) }

    /// Whether there is no sibling.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The siblings' places in their pool.
    @inlinable public var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

/// A string as it stands in the source, without its quotes.
public struct StringRange: Sendable, BitwiseCopyable {
    /// The first byte after the opening quotes.
    public var start: UInt32
    /// How many bytes up to the closing quotes.
    public var count: UInt32
    /// Whether it stands in three quotes (spec §2.9.4).
    public var isBlock: Bool
    /// Whether a backslash needs decoding.
    public var hasEscapes: Bool
}

// MARK: - Definitions

/// What an operation does.
public enum OperationType: String, Sendable, Hashable, BitwiseCopyable {
    case query, mutation, subscription
}

/// An operation (spec §2.3).
public struct OperationDefinition: Sendable, BitwiseCopyable {
    /// What it does; a selection set alone is a query.
    public var type: OperationType
    /// Its name, if it has one.
    public var name: Name?
    /// Its variables.
    public var variableDefinitions: NodeRange<VariableDefinition>
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// What it selects.
    public var selectionSet: NodeRange<Selection>
    /// Where it begins.
    public var offset: UInt32
}

/// A fragment (spec §2.8).
public struct FragmentDefinition: Sendable, BitwiseCopyable {
    /// Its name.
    public var name: Name
    /// The type after `on`.
    public var typeCondition: Name
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// What it selects.
    public var selectionSet: NodeRange<Selection>
    /// Where it begins.
    public var offset: UInt32
}

/// A definition of a schema inside an executable document.
public struct NonExecutableDefinition: Sendable, Hashable {
    /// Its name, or `schema`.
    public var name: String
    /// Where it begins.
    public var offset: UInt32
}

/// A variable and its type (spec §2.10).
public struct VariableDefinition: Sendable, BitwiseCopyable {
    /// The name without `$`.
    public var name: Name
    /// The type, in the pool of types.
    public var type: TypeReference.Index
    /// The default, if it has one; free of variables.
    public var defaultValue: ValueNode?
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// Where its `$` stands.
    public var offset: UInt32
}

/// A reference to a type (spec §2.11).
public enum TypeReference: Sendable, BitwiseCopyable {
    /// A place in the pool of types.
    public typealias Index = Int32

    case named(Name)
    case list(Index, offset: UInt32)
    case nonNull(Index)
}

// MARK: - Selections

/// One member of a selection set (spec §2.4).
public enum Selection: Sendable, BitwiseCopyable {
    case field(Field)
    case fragmentSpread(FragmentSpread)
    case inlineFragment(InlineFragment)

    /// Where it begins.
    public var offset: UInt32 {
        switch self {
        case .field(let field): field.offset
        case .fragmentSpread(let spread): spread.offset
        case .inlineFragment(let fragment): fragment.offset
        }
    }

    /// Its directives.
    public var directives: NodeRange<Directive> {
        switch self {
        case .field(let field): field.directives
        case .fragmentSpread(let spread): spread.directives
        case .inlineFragment(let fragment): fragment.directives
        }
    }
}

/// A field (spec §2.5).
public struct Field: Sendable, BitwiseCopyable {
    /// The name before the colon, if there is one.
    public var alias: Name?
    /// The field's name.
    public var name: Name
    /// Its arguments.
    public var arguments: NodeRange<Argument>
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// What it selects of its value; nil when no braces stand there.
    public var selectionSet: NodeRange<Selection>?

    /// The key of its value in the response (spec §2.7).
    @inlinable public var responseKey: Name { alias ?? name }

    /// Where it begins.
    @inlinable public var offset: UInt32 { responseKey.start }
}

/// `...Name` (spec §2.8).
public struct FragmentSpread: Sendable, BitwiseCopyable {
    /// The fragment's name.
    public var name: Name
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// Where its dots stand.
    public var offset: UInt32
}

/// `... on Type { }` (spec §2.8.2).
public struct InlineFragment: Sendable, BitwiseCopyable {
    /// The type after `on`, if it is named.
    public var typeCondition: Name?
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// What it selects.
    public var selectionSet: NodeRange<Selection>
    /// Where its dots stand.
    public var offset: UInt32
}

/// An argument of a field or a directive (spec §2.6).
public struct Argument: Sendable, BitwiseCopyable {
    /// Its name.
    public var name: Name
    /// Its value.
    public var value: ValueNode

    /// Where it begins.
    @inlinable public var offset: UInt32 { name.start }
}

/// A directive (spec §2.12).
public struct Directive: Sendable, BitwiseCopyable {
    /// Its name without `@`.
    public var name: Name
    /// Its arguments.
    public var arguments: NodeRange<Argument>
    /// Where its `@` stands.
    public var offset: UInt32
}

// MARK: - Values

/// A value in the text of a document (spec §2.9), and where it begins.
public struct ValueNode: Sendable, BitwiseCopyable {
    /// The kinds of values.
    public enum Kind: Sendable, BitwiseCopyable {
        case variable(Name)
        case int(Name)
        case float(Name)
        case string(StringRange)
        case boolean(Bool)
        case null
        case enumValue(Name)
        case list(NodeRange<ValueNode>)
        case object(NodeRange<ObjectField>)
    }

    /// What it is. The names of `int` and `float` are their text.
    public var kind: Kind
    /// Where it begins.
    public var offset: UInt32
}

/// A field of an input object (spec §2.9.8).
public struct ObjectField: Sendable, BitwiseCopyable {
    /// Its name.
    public var name: Name
    /// Its value.
    public var value: ValueNode

    /// Where it begins.
    @inlinable public var offset: UInt32 { name.start }
}
