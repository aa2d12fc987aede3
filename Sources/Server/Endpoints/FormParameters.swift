import Encodings

/// The parameters of a form (`application/x-www-form-urlencoded`) or of a query. Of equal names the last counts.
///
/// Lenient, because clients are: a value is what stands after the first `=`, an escape that is none stands for itself
/// (reference: auth, "Hosted pages").
struct FormParameters: Sendable {
    private var values: [String: String] = [:]
    /// Parameters that are read; more are left out.
    static let countMax = 200

    /// - Parameter plusIsSpace: Whether a plus sign stands for a space, as browsers write it.
    init(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool = true) {
        for part in Array(bytes).split(separator: UInt8(ascii: "&")).prefix(Self.countMax) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = end < part.endIndex ? part[(end + 1)...] : []
            values[Percent.decode(part[..<end], plusIsSpace: plusIsSpace)] = Percent.decode(
                value, plusIsSpace: plusIsSpace)
        }
    }

    init(_ text: String, plusIsSpace: Bool = true) { self.init(Array(text.utf8), plusIsSpace: plusIsSpace) }

    subscript(name: String) -> String? { values[name] }

    /// The values by name.
    var dictionary: [String: String] { values }
}
