/// The members of a JSON object in the order they were first named.
///
/// Of two members with one name the last wins and keeps the place of the first (RFC 8259 §4 leaves the choice open;
/// this is what JavaScript does). Two objects are equal when they have equal members in equal order.
public struct JSONObject: Sendable {
    /// The names, each once, in order.
    public private(set) var keys: [String] = []
    private var values: [JSONValue] = []
    /// Where each key is. Kept only for objects so large that a linear search would make reading them quadratic.
    private var positions: [String: Int] = [:]
    private static let searchedCountMax = 16

    /// An object without members.
    public init() {}

    /// An object of these members; of equal keys the last wins.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (key, value) in members { self[key] = value }
    }

    /// The value of the member with this name. Setting it keeps the member's place, or appends; setting nil removes.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { values[$0] } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): values[position] = value
            case (let position?, nil): remove(at: position)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    private func position(of key: String) -> Int? {
        positions.isEmpty ? keys.firstIndex(of: key) : positions[key]
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        keys.append(key)
        values.append(value)
        if !positions.isEmpty {
            positions[key] = keys.count - 1
        } else if keys.count > Self.searchedCountMax {
            indexKeys()
        }
    }

    private mutating func remove(at position: Int) {
        keys.remove(at: position)
        values.remove(at: position)
        positions = [:]
        if keys.count > Self.searchedCountMax { indexKeys() }
    }

    private mutating func indexKeys() {
        positions = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    }
}

extension JSONObject: Hashable {
    /// Whether both have equal members in equal order.
    public static func == (left: Self, right: Self) -> Bool {
        left.keys == right.keys && left.values == right.values
    }

    /// Hashes the members in order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(keys)
        hasher.combine(values)
    }
}

extension JSONObject: RandomAccessCollection {
    /// The place of the first member.
    public var startIndex: Int { 0 }

    /// One past the place of the last member.
    public var endIndex: Int { keys.count }

    /// The member at a place.
    public subscript(position: Int) -> (key: String, value: JSONValue) { (keys[position], values[position]) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object; of equal keys the last wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
