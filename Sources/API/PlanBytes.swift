import GraphQL

/// What the parts of a plan take of memory, in bytes: objects with their headers, the places they stand in, and what the
/// allocator adds. Estimates for a 64-bit platform.
enum PlanBytes {
    /// A field, its resolution's box, and its places in a list and in a selection's table.
    static func field(_ collected: CollectedField, key: [UInt8]) -> Int {
        let alias = collected.node.alias == nil ? 0 : 32 + key.count + collected.responseKey.heapByteCount
        return 288 + key.count + alias + collected.inclusion.byteCount
    }

    /// An item, its selection and its fetch.
    static func item(columns: Int) -> Int { 256 + fetch(columns: columns) }

    /// A page, besides its parts.
    static let page = 512

    /// One part of a page, with its fetches, if it has some.
    static func part(columns: Int?) -> Int {
        // A page is asked for in two orders, from its beginning and from where another one ended.
        48 + (columns.map { 384 + 8 * $0 + 4 * fetch(columns: $0) } ?? 0)
    }

    /// A write, besides its fields.
    static func write(columns: Int) -> Int { 256 + 8 * columns }

    /// A subscription, besides its selection.
    static let subscription = 512

    /// The answer of a function, besides its shape.
    static let function = 128

    /// The answer of a pipeline, besides its shape.
    static func pipeline(steps: Int, arguments: Int) -> Int { 256 + 96 * steps + 64 * arguments }

    /// What rules have to do with a field, and a subject that they decide.
    static func authorization(columns: Int) -> Int { 192 + 8 * columns }

    /// The shape of a value in JSON.
    static let shape = 64

    /// The selection on one object type in such a shape.
    static let objectShape = 128

    /// The operation, its document and its variables.
    static func operation(_ operation: Operation) -> Int {
        768 + operation.document.byteCount + operation.variables.byteCount
    }

    /// A fetch and its SQL.
    private static func fetch(columns: Int) -> Int { 896 + 40 * columns }
}
