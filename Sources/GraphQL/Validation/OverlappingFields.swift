import JSON

// Spec §5.3.2 Field Selection Merging.
//
// The rule compares all pairs of fields that may end up under one response key, fragments spread. Followed literally it
// takes exponential time on nested fragments; here every pair of selection sets is compared once, whatever leads to it,
// and the comparisons of a document are counted.

/// What has been compared so far.
struct OverlappingFields {
    /// A selection set by the place of its first selection; no two sets share one.
    typealias SetID = UInt32

    /// A selection set and the type it is on.
    struct SelectionSet {
        var id: SetID { selections.start }
        let selections: NodeRange<Selection>
        let type: TypeID?
    }

    /// The fields of a set, inline fragments opened, and the fragments it spreads.
    struct Fields {
        /// By key, and under one key in the order of the text.
        var entries: [Entry] = []
        var fragments: [Int] = []
    }

    /// A field in plain numbers, so that a comparison touches no reference count.
    struct Entry {
        var field: Field
        /// The response key and the name, by their positions in `names`.
        var key: Int
        var name: Int
        /// The object type it is on; -1 of an abstract or unknown type.
        var object: Int
        /// Its type; `nil` where it is unknown.
        var type: SchemaIndex.TypeReference?
    }

    struct Conflict {
        var reason: String
        var offsets: [UInt32]
    }

    /// The selection sets of fragments, by their positions in the document.
    let fragments: [SelectionSet]
    /// Whether two fields of the document may come under one response key at all.
    let isPossible: Bool

    private(set) var names: [String] = []
    private var namePositions: [String: Int] = [:]
    private var textNumbers: [ExactText: Int] = [:]
    /// Arguments that have been compared, by the place of the first: the numbers of their canonical texts; -1 where they
    /// have none.
    var argumentNumbers: [UInt32: Int] = [:]

    /// What has been gathered, by `SetID`.
    var fields: [Fields?]
    /// Pairs of sets whose fields may be on one object, and pairs whose fields never are.
    private var compared: Set<UInt64> = []
    private var comparedExclusively: Set<UInt64> = []
    private(set) var comparisons = 0
    private(set) var conflictCount = 0

    init(of document: Document, _ positions: NamePositions, _ index: SchemaIndex) {
        isPossible = !ResponseKeys.areApart(in: document, positions)
        guard isPossible else {
            fields = []
            fragments = []
            return
        }
        fields = document.selections.map { _ in nil }
        fragments = document.fragments.map {
            SelectionSet(selections: $0.selectionSet, type: index.type(named: $0.typeCondition, in: document))
        }
    }

    /// Whether no more is compared: too much has been, or enough has been found.
    var isExhausted: Bool { comparisons > Validate.comparisonsMax || conflictCount >= Validate.errorsMax }

    mutating func countComparison() { comparisons += 1 }

    /// Whether two sets have not been compared yet; notes that they are.
    mutating func isNew(_ one: SetID, _ other: SetID, areExclusive: Bool) -> Bool {
        let pair = UInt64(min(one, other)) << 32 | UInt64(max(one, other))
        // What agrees on one object agrees on two.
        guard areExclusive else { return compared.insert(pair).inserted }
        return !compared.contains(pair) && comparedExclusively.insert(pair).inserted
    }

    mutating func conflict(_ key: Int, _ reason: String, _ offsets: [UInt32]) -> Conflict {
        conflictCount += 1
        return Conflict(reason: "\(names[key]): \(reason)", offsets: offsets)
    }

    mutating func position(of name: String) -> Int {
        if let position = namePositions[name] { return position }
        namePositions[name] = names.count
        names.append(name)
        return names.count - 1
    }

    /// Equal numbers for equal texts; the order of `names`, which is that of errors, is not touched.
    mutating func number(of text: String) -> Int {
        if let number = textNumbers[ExactText(text)] { return number }
        textNumbers[ExactText(text)] = textNumbers.count
        return textNumbers.count - 1
    }
}

extension Validator {
    /// Conflicts inside one selection set; those of the sets below it have been found when they were left.
    mutating func validateConflicts(in selections: NodeRange<Selection>, of type: TypeID?) {
        // Fragments without end have an error already, and no end.
        guard overlap.isPossible, !fragmentGraph.hasCycle, !isFull, overlap.comparisons <= Validate.comparisonsMax
        else { return }
        let set = SelectionSet(selections: selections, type: type)
        for conflict in conflicts(within: set) { report(.fieldsConflict(conflict.reason), at: conflict.offsets) }
        if overlap.comparisons > Validate.comparisonsMax {
            report(.tooComplex("More than \(Validate.comparisonsMax) pairs of fields have to be compared."), at: [])
        }
    }

    private typealias SelectionSet = OverlappingFields.SelectionSet

    private mutating func conflicts(within set: SelectionSet) -> [OverlappingFields.Conflict] {
        let fields = self.fields(of: set), entries = fields.entries
        var conflicts: [OverlappingFields.Conflict] = []
        for first in entries.indices {
            var second = first + 1
            while second < entries.count, entries[second].key == entries[first].key, !overlap.isExhausted {
                compare(entries[first], entries[second], areExclusive: false, into: &conflicts)
                second += 1
            }
        }
        for (index, fragment) in fields.fragments.enumerated() {
            let first = overlap.fragments[fragment]
            compare(set, first, areExclusive: false, into: &conflicts)
            for other in fields.fragments[(index + 1)...] {
                compare(first, overlap.fragments[other], areExclusive: false, into: &conflicts)
            }
        }
        return conflicts
    }

    /// The fields of one set with those of another, fragments of both spread.
    private mutating func compare(
        _ one: SelectionSet, _ other: SelectionSet, areExclusive: Bool,
        into conflicts: inout [OverlappingFields.Conflict]
    ) {
        overlap.countComparison()
        // A set agrees with itself as far as it has been walked.
        guard one.id != other.id, !overlap.isExhausted, overlap.isNew(one.id, other.id, areExclusive: areExclusive)
        else { return }
        let fields = self.fields(of: one), others = self.fields(of: other)
        compare(fields.entries, others.entries, areExclusive: areExclusive, into: &conflicts)
        for fragment in others.fragments {
            compare(one, overlap.fragments[fragment], areExclusive: areExclusive, into: &conflicts)
        }
        for fragment in fields.fragments {
            compare(overlap.fragments[fragment], other, areExclusive: areExclusive, into: &conflicts)
        }
    }

    /// Both are in the order of their keys, so that equal keys are met in one pass.
    private mutating func compare(
        _ entries: [OverlappingFields.Entry], _ others: [OverlappingFields.Entry], areExclusive: Bool,
        into conflicts: inout [OverlappingFields.Conflict]
    ) {
        var start = 0
        for entry in entries {
            while start < others.count, others[start].key < entry.key { start += 1 }
            var position = start
            while position < others.count, others[position].key == entry.key, !overlap.isExhausted {
                compare(entry, others[position], areExclusive: areExclusive, into: &conflicts)
                position += 1
            }
        }
    }

    /// Spec §5.3.2 FieldsInSetCanMerge for one pair: at most one conflict, which includes those below.
    private mutating func compare(
        _ first: OverlappingFields.Entry, _ second: OverlappingFields.Entry, areExclusive: Bool,
        into conflicts: inout [OverlappingFields.Conflict]
    ) {
        overlap.countComparison()
        // Two object types share no object; an interface or union may share some.
        let areDifferentObjects = first.object >= 0 && second.object >= 0 && first.object != second.object
        let areExclusive = areExclusive || areDifferentObjects
        if let reason = areExclusive ? nil : difference(of: first, second) {
            conflicts.append(overlap.conflict(first.key, reason, [first.field.offset, second.field.offset]))
        } else if first.type != second.type, let type = first.type, let other = second.type,
            let reason = difference(of: type, other)
        {
            conflicts.append(overlap.conflict(first.key, reason, [first.field.offset, second.field.offset]))
        } else if let selections = first.field.selectionSet, let others = second.field.selectionSet {
            var below: [OverlappingFields.Conflict] = []
            compare(
                SelectionSet(selections: selections, type: first.type.map(index.namedType)),
                SelectionSet(selections: others, type: second.type.map(index.namedType)), areExclusive: areExclusive,
                into: &below)
            guard !below.isEmpty else { return }
            conflicts.append(
                overlap.conflict(
                    first.key, "(\(below.map(\.reason).joined(separator: ", ")))",
                    [first.field.offset, second.field.offset] + below.flatMap(\.offsets)))
        }
    }

    /// What two fields on one object must have in common beside their shape.
    private mutating func difference(
        of first: OverlappingFields.Entry, _ second: OverlappingFields.Entry
    ) -> String? {
        guard first.name == second.name else {
            return "\(overlap.names[first.name]) and \(overlap.names[second.name]) are different fields"
        }
        return agree(first.field.arguments, second.field.arguments) ? nil : "they have differing arguments"
    }

    /// Spec §5.3.2 SameResponseShape, in words; `nil` where the shapes are the same.
    private func difference(of type: SchemaIndex.TypeReference, _ other: SchemaIndex.TypeReference) -> String? {
        switch (index[type], index[other]) {
        case (.nonNull(let type), .nonNull(let other)): return difference(of: type, other)
        case (.nonNull, _), (_, .nonNull): return "fields have different nullability shapes"
        case (.list(let element), .list(let other)): return difference(of: element, other)
        case (.list, _), (_, .list): return "fields have different list shapes"
        case (.named(let id), .named(let other)):
            guard id != other, index[id].isLeaf || index[other].isLeaf else { return nil }
            return "they return differing types \(schema[id].name) and \(schema[other].name)"
        }
    }

    // MARK: Gathering

    private mutating func fields(of set: SelectionSet) -> OverlappingFields.Fields {
        if let known = overlap.fields[Int(set.id)] { return known }
        var fields = OverlappingFields.Fields()
        gather(set.selections, of: set.type, into: &fields)
        let isSorted = zip(fields.entries, fields.entries.dropFirst()).allSatisfy { $0.key <= $1.key }
        if !isSorted { fields.entries.sort { ($0.key, $0.field.offset) < ($1.key, $1.field.offset) } }
        overlap.fields[Int(set.id)] = fields
        return fields
    }

    private mutating func gather(
        _ selections: NodeRange<Selection>, of type: TypeID?, into fields: inout OverlappingFields.Fields
    ) {
        for position in selections.indices {
            switch document.selections[position] {
            case .field(let field): fields.entries.append(entry(of: field, in: type))
            case .inlineFragment(let fragment):
                let condition = fragment.typeCondition.flatMap { index.type(named: $0, in: document) }
                gather(fragment.selectionSet, of: condition ?? type, into: &fields)
            case .fragmentSpread(let spread):
                guard let position = self.position(of: spread.name), !fields.fragments.contains(position) else {
                    continue
                }
                fields.fragments.append(position)
            }
        }
    }

    private mutating func entry(of field: Field, in type: TypeID?) -> OverlappingFields.Entry {
        let name = overlap.position(of: document.name(field.name))
        let key = field.alias.map { overlap.position(of: document.name($0)) } ?? name
        let definition = type.flatMap { self.definition(of: field.name, in: $0) }
        let object = type.map { if case .object = schema[$0].kind { $0.index } else { -1 } } ?? -1
        return OverlappingFields.Entry(field: field, key: key, name: name, object: object, type: definition?.type)
    }

    // MARK: Arguments

    /// Equal names with equal values, in any order.
    private mutating func agree(_ one: NodeRange<Argument>, _ other: NodeRange<Argument>) -> Bool {
        guard !one.isEmpty, !other.isEmpty else { return one.isEmpty && other.isEmpty }
        let number = self.number(of: one), otherNumber = self.number(of: other)
        return number >= 0 && otherNumber >= 0 ? number == otherNumber : areEqual(one, other)
    }

    private mutating func number(of arguments: NodeRange<Argument>) -> Int {
        if let known = overlap.argumentNumbers[arguments.start] { return known }
        let number = canonical(document[arguments].map { ($0.name, $0.value) }).map { overlap.number(of: $0) } ?? -1
        overlap.argumentNumbers[arguments.start] = number
        return number
    }

    /// A text that is the same for equal arguments or object fields, in any order, so that a pair costs the same however
    /// much is written in it; `nil` where one name stands twice, which is refused elsewhere.
    private mutating func canonical(_ members: [(name: Name, value: ValueNode)]) -> String? {
        guard !members.isEmpty else { return "" }
        var texts: [String: String] = [:]
        for (name, value) in members {
            guard let text = canonical(value), texts.updateValue(text, forKey: document.name(name)) == nil else {
                return nil
            }
        }
        return texts.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }

    private mutating func canonical(_ value: ValueNode) -> String? {
        switch value.kind {
        case .variable(let name): return "$" + document.name(name)
        case .int(let text), .float(let text), .enumValue(let text): return document.name(text)
        // Its number stands for the string, which may hold any character.
        case .string(let range): return "\"\(overlap.number(of: document.string(range)))"
        case .boolean(let value): return "\(value)"
        case .null: return "null"
        case .list(let range):
            var texts: [String] = []
            for value in document[range] {
                guard let text = canonical(value) else { return nil }
                texts.append(text)
            }
            return "[\(texts.joined(separator: ","))]"
        case .object(let range):
            return canonical(document[range].map { ($0.name, $0.value) }).map { "{\($0)}" }
        }
    }

    /// Equal names with equal values, in any order.
    private func areEqual(_ one: NodeRange<Argument>, _ other: NodeRange<Argument>) -> Bool {
        guard one.count == other.count else { return false }
        guard !one.isEmpty else { return true }
        return document[one].allSatisfy { argument in
            document[other].contains {
                document.areEqual($0.name, argument.name) && areEqual($0.value, argument.value)
            }
        }
    }

    private func areEqual(_ one: ValueNode, _ other: ValueNode) -> Bool {
        switch (one.kind, other.kind) {
        case (.variable(let one), .variable(let other)), (.int(let one), .int(let other)),
            (.float(let one), .float(let other)), (.enumValue(let one), .enumValue(let other)):
            return document.areEqual(one, other)
        case (.string(let one), .string(let other)): return document.string(one).isExactly(document.string(other))
        case (.boolean(let one), .boolean(let other)): return one == other
        case (.null, .null): return true
        case (.list(let one), .list(let other)):
            return one.count == other.count && zip(document[one], document[other]).allSatisfy { areEqual($0, $1) }
        case (.object(let one), .object(let other)):
            guard one.count == other.count else { return false }
            return document[one].allSatisfy { field in
                document[other].contains {
                    document.areEqual($0.name, field.name) && areEqual($0.value, field.value)
                }
            }
        default: return false
        }
    }
}
