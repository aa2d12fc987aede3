/// Prometheus' text exposition format, version 0.0.4.
struct PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    mutating func write(_ family: MetricFamily) {
        let name = Self.name(family.name)
        if !family.help.isEmpty { text += "# HELP \(name) \(family.help)\n" }
        text += "# TYPE \(name) \(family.kind.rawValue)\n"
        for sample in family.samples {
            let labels = sample.labels.map { "\(Self.name($0.name))=\"\(Self.escaped($0.value))\"" }
            let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            text += "\(name)\(sample.suffix)\(list) \(sample.value)\n"
        }
    }

    /// A name of letters, digits, `_` and `:`; swift-metrics' names often have dots.
    private static func name(_ name: String) -> String {
        let kept = name.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == ":")
                ? Character(scalar) : "_"
        }
        return (kept.first?.isNumber ?? true ? "_" : "") + String(kept)
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n", "\r\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
