public import JSON

/// Reads settings in Cognito's words, out of a request (`PasswordPolicy`) or the configuration (`passwordPolicy`): the first
/// letter of a word may be of either case. What is wrong is collected with its place.
public final class SettingsReader {
    /// What is wrong with a setting.
    public struct Problem: Sendable, Hashable {
        /// The members that lead to the setting.
        public var path: [String]
        /// What is wrong, as a sentence.
        public var message: String
        /// What to do about it.
        public var hint: String?
        /// The name of the error that a call is answered with.
        var error = "InvalidParameterException"
    }

    /// What was found wrong, by this reader and those that it has made.
    final class Problems {
        var list: [Problem] = []
    }

    let object: JSONObject
    let path: [String]
    private let found: Problems
    private var known: Set<String> = []

    /// A reader of an object.
    public convenience init(_ object: JSONObject) { self.init(object, path: [], found: Problems()) }

    private init(_ object: JSONObject, path: [String], found: Problems) {
        (self.object, self.path, self.found) = (object, path, found)
    }

    /// What was found wrong so far.
    public var problems: [Problem] { found.list }

    /// The member by its word; nil for null, too.
    func value(_ word: String) -> JSONValue? {
        for name in [word, Self.lowerFirst(word)] {
            known.insert(name)
            guard let value = object[name] else { continue }
            if !value.isNull { return value }
        }
        return nil
    }

    /// Whether a member is given.
    func has(_ word: String) -> Bool { value(word) != nil }

    /// The word with its first letter in lower case, as the configuration writes it.
    static func lowerFirst(_ word: String) -> String { word.prefix(1).lowercased() + word.dropFirst() }

    /// Reports what is wrong with a member.
    ///
    /// - Parameter index: The element of the member's list that is wrong.
    func report(
        _ word: String, index: Int? = nil, _ message: String, hint: String? = nil,
        error: String = "InvalidParameterException"
    ) {
        let name = object[word] == nil ? Self.lowerFirst(word) : word
        found.list.append(
            Problem(
                path: path + [name] + (index.map { [String($0)] } ?? []), message: message, hint: hint, error: error))
    }

    private func read<Kind>(_ word: String, _ rule: String, _ convert: (JSONValue) -> Kind?) -> Kind? {
        guard let value = value(word) else { return nil }
        if let converted = convert(value) { return converted }
        report(word, "'\((path + [Self.lowerFirst(word)]).joined(separator: "."))' \(rule), and not \(value).")
        return nil
    }

    func string(_ word: String) -> String? { read(word, "is a text", \.stringValue) }

    func bool(_ word: String) -> Bool? {
        read(word, "is true or false") { $0.boolValue ?? $0.stringValue.flatMap(Bool.init) }
    }

    func integer(_ word: String, in range: ClosedRange<Int64>) -> Int64? {
        read(word, "is a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.intValue.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func strings(_ word: String) -> [String]? {
        read(word, "is a list of texts") { value in
            guard let elements = value.arrayValue else { return value.stringValue.map { [$0] } }
            let texts = elements.compactMap(\.stringValue)
            return texts.count == elements.count ? texts : nil
        }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ word: String, _: Choice.Type) -> Choice?
    where Choice.RawValue == String {
        let names = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return read(word, "is one of \(names)") { $0.stringValue.flatMap(Choice.init) }
    }

    func choices<Choice: RawRepresentable & CaseIterable>(_ word: String, _: Choice.Type) -> [Choice]?
    where Choice.RawValue == String {
        let names = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return read(word, "is a list of \(names)") { value in
            guard let elements = value.arrayValue else { return nil }
            let choices = elements.compactMap { $0.stringValue.flatMap(Choice.init) }
            return choices.count == elements.count ? choices : nil
        }
    }

    /// An object's reader; nil without the member.
    func section(_ word: String) -> SettingsReader? {
        guard let object = read(word, "is an object, { … }", \.objectValue) else { return nil }
        return SettingsReader(object, path: path + [Self.lowerFirst(word)], found: found)
    }

    /// A whole number that Cognito writes as a text.
    func numericText(_ word: String) -> Int64? {
        read(word, "is a whole number") { $0.intValue ?? $0.stringValue.flatMap { Int64($0) } }
    }

    /// The readers of a list of objects.
    func sections(_ word: String) -> [SettingsReader]? {
        guard let elements = read(word, "is a list of objects, [{ … }]", \.arrayValue) else { return nil }
        return elements.enumerated().compactMap { index, element in
            guard let object = element.objectValue else {
                report(word, "'\(Self.lowerFirst(word))' is a list of objects, [{ … }].")
                return nil
            }
            return SettingsReader(object, path: path + [Self.lowerFirst(word), String(index)], found: found)
        }
    }

    /// Reports the members that nothing asked for. Settings out of a request may have others: SDKs add new ones.
    func finish() {
        for name in object.keys where !known.contains(name) {
            let words = Set(known.map(Self.lowerFirst)).sorted().joined(separator: ", ")
            found.list.append(
                Problem(
                    path: path + [name], message: "Unknown key '\((path + [name]).joined(separator: "."))'.",
                    hint: "Known here: \(words)."))
        }
    }
}
