import Transformer

/// Reads the flags and the environment, one setting at a time; what is wrong goes to the findings.
struct SettingReader {
    let texts: SettingTexts
    let findings: Findings

    /// The last text that was given for a setting, as it is.
    func text(_ setting: Setting) -> String? { texts.given(setting)?.texts.last }

    /// The value that `parse` makes of the last text; `rule` completes the sentence of an error: "… is \(rule)".
    func value<Value>(_ setting: Setting, _ rule: String, _ parse: (String) -> Value?) -> Value? {
        value(ofAll: setting, rule) { texts in texts.last.flatMap(parse) }
    }

    /// The value that `parse` makes of all texts; for settings that may be given several times.
    func value<Value>(ofAll setting: Setting, _ rule: String, _ parse: ([String]) -> Value?) -> Value? {
        guard let given = texts.given(setting), let last = given.texts.last else { return nil }
        if let value = parse(given.texts) { return value }
        report("\(given.origin) is \(rule), and not '\(last)'.")
        return nil
    }

    /// One of these texts.
    func choice<Choice: RawRepresentable & CaseIterable>(_ setting: Setting, _: Choice.Type) -> Choice?
    where Choice.RawValue == String {
        value(setting, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "), Choice.init)
    }

    /// A switch, as flags and variables write it.
    func bool(_ setting: Setting) -> Bool? { value(setting, "true or false") { Self.switches[$0] } }

    /// A port; 0 is a free one.
    func port(_ setting: Setting) -> Int? {
        value(setting, "a number from 0 to 65535") { Int($0).flatMap { (0...65535) ~= $0 ? $0 : nil } }
    }

    func report(_ message: String) {
        findings.diagnostics.append(Diagnostic(kind: "UsageError", message: message))
    }

    static let switches = ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false]
}
