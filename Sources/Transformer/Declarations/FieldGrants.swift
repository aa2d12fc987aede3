/// On which fields of a model each role has each operation: one bit for each field, so that the rules of many models are
/// combined without hashing names.
struct FieldGrants: Sendable, Hashable {
    typealias Operation = AuthorizationRule.Operation

    /// The place of each field among the bits, in the order of the model. Fields with the same name, which validation refuses,
    /// have the same place.
    let places: [Int]
    private let roleCount: Int
    /// How many words the bits of one role and operation have.
    private let wordCount: Int
    /// The bits, by operation and role.
    private var words: [UInt64]

    /// Combines rules: a rule of the type grants its operations on all fields, and the rules of a field replace those of the type
    /// for it.
    /// - Parameters:
    ///   - rules: The rules of the type and of its fields, in document order.
    ///   - rolePlaces: The places of the roles of each rule.
    init(_ rules: [AuthorizationRule], roles rolePlaces: [[Int]], roleCount: Int, fields: [String]) {
        var known: [String: Int] = [:]
        known.reserveCapacity(fields.count)
        var places: [Int] = []
        for field in fields {
            let place = known[field] ?? known.count
            if place == known.count { known[field] = place }
            places.append(place)
        }
        self.places = places
        self.roleCount = roleCount
        wordCount = (known.count + 63) / 64
        words = Array(repeating: 0, count: Operation.allCases.count * roleCount * wordCount)
        var own: [(place: Int, operations: Set<Operation>, roles: [Int])] = []
        for (rule, roles) in zip(rules, rolePlaces) {
            if let field = rule.field {
                if let place = known[field] { own.append((place, rule.operations, roles)) }
                continue
            }
            for operation in rule.operations {
                for role in roles {
                    for place in 0..<known.count { self[role, operation, place] = true }
                }
            }
        }
        for rule in own {
            for operation in Operation.allCases {
                for role in 0..<roleCount { self[role, operation, rule.place] = false }
            }
        }
        for rule in own {
            for operation in Operation.allCases {
                // The same role twice on a field: the later rule replaces the former.
                let isGranted = rule.operations.contains(operation)
                for role in rule.roles { self[role, operation, rule.place] = isGranted }
            }
        }
    }

    /// Whether a role has an operation on the field at this place.
    private(set) subscript(role: Int, operation: Operation, place: Int) -> Bool {
        get { words[position(role, operation) * wordCount + place / 64] & Self.bit(place) != 0 }
        set {
            let word = position(role, operation) * wordCount + place / 64
            if newValue { words[word] |= Self.bit(place) } else { words[word] &= ~Self.bit(place) }
        }
    }

    /// Whether a role has an operation on no field.
    func isEmpty(_ role: Int, _ operation: Operation) -> Bool {
        bits(position(role, operation)).allSatisfy { $0 == 0 }
    }

    /// On how many fields a role has an operation.
    func count(_ role: Int, _ operation: Operation) -> Int {
        bits(position(role, operation)).reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// The place of a role and an operation in `names`.
    func position(_ role: Int, _ operation: Operation) -> Int { operation.place * roleCount + role }

    /// The fields by `position`, as sets of their names. Equal sets share their storage.
    func names(_ fields: [String]) -> [Set<String>] {
        var made: [ArraySlice<UInt64>: Set<String>] = [:]
        var sets: [Set<String>] = []
        for position in 0..<Operation.allCases.count * roleCount {
            let granted = bits(position)
            if let names = made[granted] {
                sets.append(names)
                continue
            }
            var names: Set<String> = []
            for (place, field) in zip(places, fields)
            where granted[granted.startIndex + place / 64] & Self.bit(place) != 0 { names.insert(field) }
            made[granted] = names
            sets.append(names)
        }
        return sets
    }

    private func bits(_ position: Int) -> ArraySlice<UInt64> {
        words[position * wordCount..<(position + 1) * wordCount]
    }

    private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(place % 64) }
}

extension AuthorizationRule.Operation {
    /// Its place among all cases.
    fileprivate var place: Int {
        switch self {
        case .get: 0
        case .list: 1
        case .sync: 2
        case .search: 3
        case .listen: 4
        case .create: 5
        case .update: 6
        case .delete: 7
        }
    }
}
