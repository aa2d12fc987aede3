/// Spec §5.3.2, for the documents that people write: no selection set has a response key twice, its fragments spread, but
/// for `__typename`, which clients put wherever it may stand. Nothing has to be compared in those.
///
/// It errs on one side only: what it does not take for apart is left to `OverlappingFields`, and so are sets that are large
/// or spread much.
struct ResponseKeys {
    private let document: Document
    private let fragmentPositions: NamePositions

    // The fields of the set that is looked at, by their positions: its own as far as it has been walked, and those of its
    // fragments.
    private var ownFields = 0..<0
    private var spreadFields: [Int] = []
    /// Two bits for each of them by its key (a Bloom filter): a key of which one is missing is none of theirs.
    private var bits: UInt64 = 0
    private var spreadCount = 0

    /// At least as many comparisons as there would be.
    private var comparisons = 0

    private static let fieldsMax = 64
    private static let spreadsMax = 16

    /// Whether two fields of the document never come under one key, or agree where they do.
    static func areApart(in document: Document, _ fragmentPositions: NamePositions) -> Bool {
        var keys = ResponseKeys(document: document, fragmentPositions: fragmentPositions)
        return document.operations.allSatisfy { keys.areApart($0.selectionSet) }
            && document.fragments.allSatisfy { keys.areApart($0.selectionSet) }
    }

    private init(document: Document, fragmentPositions: NamePositions) {
        self.document = document
        self.fragmentPositions = fragmentPositions
    }

    /// A set and those below it, each for itself.
    private mutating func areApart(_ set: NodeRange<Selection>) -> Bool {
        spreadFields.removeAll(keepingCapacity: true)
        bits = 0
        spreadCount = 0
        for position in set.indices {
            ownFields = set.indices.lowerBound..<position
            guard insert(position, isSpread: false) else { return false }
        }
        // Of n sets each pair is compared once, which leads to no more than n others.
        if spreadCount > 0 { comparisons += (spreadCount + 1) * (spreadCount + 1) * (spreadCount + 1) }
        return comparisons <= Validate.comparisonsMax && areApart(below: set)
    }

    /// The sets of the fields of a set; those of a fragment are looked at with the fragment.
    private mutating func areApart(below set: NodeRange<Selection>) -> Bool {
        for position in set.indices {
            switch document.selections[position] {
            case .field(let field):
                if let set = field.selectionSet, !areApart(set) { return false }
            case .inlineFragment(let fragment):
                if !areApart(below: fragment.selectionSet) { return false }
            case .fragmentSpread: break
            }
        }
        return true
    }

    /// Whether a selection is apart from the fields that are here.
    private mutating func insert(_ position: Int, isSpread: Bool) -> Bool {
        switch document.selections[position] {
        case .field(let field):
            let bits = bits(of: field.responseKey)
            guard self.bits & bits != bits || isApart(position, field),
                ownFields.count + spreadFields.count < Self.fieldsMax
            else { return false }
            self.bits |= bits
            if isSpread { spreadFields.append(position) }
            return true
        case .inlineFragment(let fragment): return insert(fragment.selectionSet)
        case .fragmentSpread(let spread):
            guard let fragment = fragmentPositions.position(of: spread.name, in: document) else { return true }
            spreadCount += 1
            return spreadCount <= Self.spreadsMax && insert(document.fragments[fragment].selectionSet)
        }
    }

    private mutating func insert(_ fragment: NodeRange<Selection>) -> Bool {
        fragment.indices.allSatisfy { insert($0, isSpread: true) }
    }

    // Memory safety: the array outlives its span, which checks the range.
    private func bits(of key: Name) -> UInt64 {
        let bytes = document.source.bytes
        let ends = unsafe bytes.span.bytes.extracting(key.indices).ends
        // The highest bits of a product depend on all bits of the factors.
        let product = (ends.first ^ (ends.last &* 3)) &* 0x9E37_79B9_7F4A_7C15
        return 1 &<< (product >> 58) | 1 &<< (product >> 52 & 63)
    }

    /// Whether a field whose bits are there is apart nevertheless.
    private mutating func isApart(_ position: Int, _ field: Field) -> Bool {
        ownFields.allSatisfy { isApart(position, field, from: $0) }
            && spreadFields.allSatisfy { isApart(position, field, from: $0) }
    }

    private mutating func isApart(_ position: Int, _ field: Field, from other: Int) -> Bool {
        // A fragment that is spread once more agrees with itself.
        guard position != other, case .field(let other) = document.selections[other],
            document.areEqual(other.responseKey, field.responseKey)
        else { return true }
        comparisons += 1
        return isTypename(field) && isTypename(other)
    }

    private func isTypename(_ field: Field) -> Bool {
        field.alias == nil && field.arguments.isEmpty && field.selectionSet == nil
            && document.isName(field.name, "__typename")
    }
}
