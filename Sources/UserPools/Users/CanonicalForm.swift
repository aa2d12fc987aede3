import Foundation
import JSON

/// The forms of names that are canonically equivalent (Unicode Standard Annex #15): "zoë" has one of four and one of five code
/// points, which look alike and which Swift's `String` holds for equal.
///
/// The store compares bytes. So that two users never have such names, user names and aliases are stored in Normalization
/// Form C. Earlier versions stored them as they were given; `composeNames` stores them anew. Two users whose names are
/// equivalent keep theirs, so both forms are looked up.
enum CanonicalForm {
    /// A name as names are compared.
    ///
    /// - Parameter ignoresCase: Whether names that differ by letter case alone are one.
    static func key(of name: String, ignoresCase: Bool) -> String {
        let composed = composed(name)
        return ignoresCase ? self.composed(composed.lowercased()) : composed
    }

    /// A name in Normalization Form C.
    static func composed(_ name: String) -> String {
        isASCII(name) ? name : name.precomposedStringWithCanonicalMapping
    }

    /// The keys under which a name may be stored: as it is given, as `key` makes it, and decomposed. One for ASCII.
    static func keys(of name: String, ignoresCase: Bool) -> [String] {
        let key = key(of: name, ignoresCase: ignoresCase)
        guard !isASCII(name) || !isASCII(key) else { return [key] }
        return distinct([ignoresCase ? name.lowercased() : name, key, key.decomposedStringWithCanonicalMapping])
    }

    /// Texts without those whose bytes stand before them.
    static func distinct(_ texts: [String]) -> [String] {
        var seen: Set<ExactText> = []
        return texts.filter { seen.insert(ExactText($0)).inserted }
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}
