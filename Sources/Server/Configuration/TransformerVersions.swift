import JSON
import Transformer

/// `transformerVersion`: 1, 2, or "auto", which infers it from the directives.
enum TransformerVersions {
    static func read(_ key: String, of section: ConfigurationSection) -> TransformOptions.TransformerVersion? {
        switch section.value(key) {
        case nil: return nil
        case .number("1"): return .v1
        case .string("auto"): return .automatic
        case .number("2"): return .v2
        case let value?: section.report(key, "'\(section.name(key))' is 1, 2 or \"auto\", and not \(value).")
        }
        return nil
    }
}
