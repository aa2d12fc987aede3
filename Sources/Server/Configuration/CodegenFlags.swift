import Amplify
import JSON

/// The feature flags that decide what client code is generated, of `featureFlags` and of `codegen`. They have no effect on
/// what is served.
public struct CodegenFlags: Sendable, Hashable {
    /// Whether the project has feature flags, so that those it does not name are off, as in the Amplify CLI.
    public private(set) var areGiven = false
    /// The flags that are set, by their names in lower case.
    public private(set) var values: [String: Bool] = [:]

    /// `features`, a group, a flag.
    private static let depthMax = 3

    /// No flags.
    public init() {}

    /// Reads `featureFlags`, whose groups may stand under `features`; `FeatureFlags` reports what is wrong with it.
    mutating func read(featureFlags: JSONValue?) {
        guard let object = featureFlags?.objectValue else { return }
        areGiven = true
        collect(object, depth: 1)
    }

    /// Reads `codegen`, which overrides the feature flags.
    mutating func read(_ section: ConfigurationSection) {
        for name in FlagTable.codegenSettings {
            if let value = section.bool(name) { set(name, to: value) }
        }
        section.finish()
    }

    /// Sets a flag that is known; others are left out.
    mutating func set(_ name: String, to value: Bool) {
        guard FlagTable.codegenSettings.contains(where: { $0.lowercased() == name.lowercased() }) else { return }
        areGiven = true
        values[name.lowercased()] = value
    }

    private mutating func collect(_ object: JSONObject, depth: Int) {
        for (key, value) in object {
            if let flag = value.boolValue {
                set(key, to: flag)
            } else if let members = value.objectValue, depth < Self.depthMax {
                collect(members, depth: depth + 1)
            }
        }
    }
}
