/// The members of a JSON object in the order they were first named.
///
/// Names are one when their bytes are (RFC 8259 §8.3). Of two members with one name the last wins and keeps the place of the first (RFC 8259 §4 leaves the choice open;
/// this is what JavaScript does). Two objects are equal when they have equal members in equal order.
public struct JSONObject: Sendable {
    private var members: [(key: String, value: JSONValue)] = []
    /// Where each key is. Kept only for objects so large that a linear search would make reading them quadratic.
    private var positions: [ExactText: Int] = [:]
    private static let searchedCountMax = 16

    /// An object without members.
    public init() {}

    /// An object of these members; of equal keys the last wins.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.members.reserveCapacity(members.underestimatedCount)
        for (key, value) in members { self[key] = value }
    }

    /// The names, each once, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of the member with this name. Setting it keeps the member's place, or appends; setting nil removes.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): remove(at: position)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    private func position(of key: String) -> Int? {
        positions.isEmpty ? members.firstIndex { $0.key.isExactly(key) } : positions[ExactText(key)]
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        members.append((key, value))
        if !positions.isEmpty {
            positions[ExactText(key)] = members.count - 1
        } else if members.count > Self.searchedCountMax {
            indexKeys()
        }
    }

    /// Removes the members with these names, in one pass; removing them one by one takes a pass for each.
    public mutating func removeMembers(named names: Set<ExactText>) {
        guard !names.isEmpty else { return }
        members.removeAll { names.contains(ExactText($0.key)) }
        indexAgain()
    }

    private mutating func remove(at position: Int) {
        members.remove(at: position)
        indexAgain()
    }

    /// After a removal, which moves the members behind it.
    private mutating func indexAgain() {
        positions = [:]
        if members.count > Self.searchedCountMax { indexKeys() }
    }

    private mutating func indexKeys() {
        positions = Dictionary(uniqueKeysWithValues: zip(members.lazy.map { ExactText($0.key) }, members.indices))
    }
}

extension JSONObject: Hashable {
    /// Whether both have equal members in equal order.
    public static func == (left: Self, right: Self) -> Bool {
        left.members.elementsEqual(right.members) { $0.key.isExactly($1.key) && $0.value == $1.value }
    }

    /// Hashes the members in order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.count)
        for (key, value) in members {
            key.hashBytes(into: &hasher)
            hasher.combine(value)
        }
    }
}

extension JSONObject: RandomAccessCollection {
    /// The place of the first member.
    public var startIndex: Int { 0 }

    /// One past the place of the last member.
    public var endIndex: Int { members.count }

    /// The member at a place.
    public subscript(position: Int) -> (key: String, value: JSONValue) { members[position] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object; of equal keys the last wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
