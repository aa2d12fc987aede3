public import JSON
public import Transformer

/// Settings in the words of the server's configuration file, each with the place that it comes from.
public struct ProjectSettings: Sendable {
    /// The settings.
    public private(set) var value = JSONObject()
    /// Where a setting comes from, by the keys that lead to it. A setting without a place is a default of Amplify.
    public private(set) var places: [[String]: Diagnostic.Place] = [:]

    /// What no file says, in a value that has a place.
    public private(set) var defaults: Set<[String]> = []

    /// Sets the value at a path of keys; nil is ignored.
    mutating func set(_ path: [String], _ value: JSONValue?, at place: Diagnostic.Place?) {
        guard let value else { return }
        self.value = Self.setting(path[...], of: self.value, to: value)
        if let place { places[path] = place }
    }

    /// Notes the place of a part of a value.
    mutating func setPlace(_ path: [String], _ place: Diagnostic.Place) { places[path] = place }

    /// Notes that a part of a value is a default of Amplify.
    mutating func setDefault(_ path: [String]) { defaults.insert(path) }

    private static func setting(_ path: ArraySlice<String>, of object: JSONObject, to value: JSONValue) -> JSONObject {
        guard let key = path.first else { return object }
        var object = object
        if path.count == 1 {
            object[key] = value
        } else {
            object[key] = .object(setting(path.dropFirst(), of: object[key]?.objectValue ?? [:], to: value))
        }
        return object
    }
}
