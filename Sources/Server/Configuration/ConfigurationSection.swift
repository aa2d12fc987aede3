import GraphQL
import JSON
import Transformer

/// One object of the configuration file, read key by key. A key that no reader asks for is unknown.
final class ConfigurationSection {
    let file: ConfigurationFile
    let path: ConfigurationFile.Path
    let object: JSONObject
    let findings: Findings
    private var known: [String] = []

    init(_ object: JSONObject, at path: ConfigurationFile.Path, of file: ConfigurationFile, findings: Findings) {
        self.object = object
        self.path = path
        self.file = file
        self.findings = findings
    }

    /// The value of a key, which is known from now on. An explicit null is as good as absent.
    func value(_ key: String) -> JSONValue? {
        known.append(key)
        guard let value = object[key], !value.isNull else { return nil }
        return value
    }

    /// A text that is not empty.
    func string(_ key: String) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.stringValue, !text.isEmpty else { return refuse(key, "is a text in quotes", value) }
        return text
    }

    /// One text or a list of texts.
    func strings(_ key: String) -> [String]? {
        guard let value = value(key) else { return nil }
        let texts = (value.arrayValue ?? [value]).compactMap(\.stringValue).filter { !$0.isEmpty }
        guard !texts.isEmpty, texts.count == value.arrayValue?.count ?? 1 else {
            return refuse(key, "is a text or a list of texts", value)
        }
        return texts
    }

    /// One or several host names and addresses.
    func hostNames(_ key: String) -> [String]? {
        let names = strings(key)
        for name in names ?? [] where !CertificateNames.isName(name) {
            report(key, "'\(self.name(key))' lists host names and addresses, and \"\(name)\" is neither.")
        }
        return names
    }

    /// A whole number in a range.
    func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = value(key) else { return nil }
        guard let number = value.intValue.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            return refuse(key, "is a whole number from \(range.lowerBound) to \(range.upperBound)", value)
        }
        return number
    }

    /// A number in a range, with or without decimals.
    func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
        guard let value = value(key) else { return nil }
        guard let number = value.doubleValue, range.contains(number) else {
            return refuse(key, "is a number from \(range.lowerBound) to \(range.upperBound)", value)
        }
        return number
    }

    /// `true` or `false`.
    func bool(_ key: String) -> Bool? {
        guard let value = value(key) else { return nil }
        return value.boolValue ?? refuse(key, "is true or false", value)
    }

    /// One of these texts.
    func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, _: Choice.Type) -> Choice?
    where Choice.RawValue == String {
        guard let value = value(key) else { return nil }
        let names = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return value.stringValue.flatMap(Choice.init) ?? refuse(key, "is one of \(names)", value)
    }

    /// An object; absent, it is one without members.
    func section(_ key: String) -> ConfigurationSection {
        let value = value(key)
        if let value, value.objectValue == nil {
            report(key, "'\(name(key))' is an object, { … }, and not \(value).")
        }
        return ConfigurationSection(value?.objectValue ?? [:], at: path + [key], of: file, findings: findings)
    }

    /// Reports the keys that no reader asked for.
    ///
    /// - Parameter asWarnings: In a file of another program, which may have keys of its own.
    func finish(asWarnings: Bool = false) {
        for key in object.keys where !known.contains(key) {
            let message = "Unknown key '\(name(key))'"
            if asWarnings {
                warn(key, "\(message): it has no effect.", hint: hint(for: key))
            } else {
                report(key, "\(message).", hint: hint(for: key))
            }
        }
    }

    /// What a misspelt key may have meant, or all that there is when nothing is near and the list is short.
    private func hint(for key: String) -> String? {
        SuggestionList.hint(for: key, among: known)
            ?? (known.count <= 20 ? "Known here: \(known.joined(separator: ", "))." : nil)
    }

    /// Reports a key.
    func report(_ key: String, _ message: String, hint: String? = nil) {
        let place = file.place(of: path + [key])
        findings.diagnostics.append(Diagnostic(kind: "ConfigurationError", message: message, place: place, hint: hint))
    }

    /// Reports what stands at a place below this section.
    func reportPath(_ path: ConfigurationFile.Path, _ message: String, hint: String? = nil) {
        let place = file.place(of: self.path + path)
        findings.diagnostics.append(Diagnostic(kind: "ConfigurationError", message: message, place: place, hint: hint))
    }

    /// Warns of a key.
    func warn(_ key: String, _ message: String, hint: String? = nil) {
        let place = file.place(of: path + [key])
        findings.warnings.append(Diagnostic(kind: "Warning", message: message, place: place, hint: hint))
    }

    /// Notes a key that was understood and does nothing.
    func noteUnused(_ key: String) {
        let subject = file.isProjectFile ? "\(name(key)) in \(file.name)" : name(key)
        findings.notes.append("\(subject) is accepted and has no effect.")
    }

    /// Reports a setting that guards data or changes the API and that this version does not serve: served without it,
    /// people would get something else than they asked for.
    func reportNotServed(_ key: String, _ what: String, hint: String) {
        report(key, "\(what) is not served yet.", hint: hint)
    }

    /// The key with those above it, dotted.
    func name(_ key: String) -> String { (path + [key]).joined(separator: ".") }

    private func refuse<Value>(_ key: String, _ rule: String, _ value: JSONValue) -> Value? {
        report(key, "'\(name(key))' \(rule), and not \(value).")
        return nil
    }
}
