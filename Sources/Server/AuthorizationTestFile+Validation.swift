import GraphQL
import JSON
import Tables
import Transformer

// What is wrong with a file of `syncline auth test`: every key must be known and every value fit, so that no case passes
// because a part of it was not read.

extension AuthorizationTestFile {
    private static let fileKeys = ["identities", "given", "cases"]
    private static let caseKeys = ["name", "as", "query", "variables", "expect", "subscribers"]
    private static let subscriberKeys = ["as", "query", "variables", "expect"]
    private static let answerKeys = ["data", "errors"]
    /// Errors of an event are not compared.
    private static let eventKeys = ["data"]
    /// The members of an error object, as AppSync writes them.
    private static let errorKeys = ["path", "message", "errorType", "errorInfo", "data", "locations"]

    /// What an identity of each mode has, beside `mode`.
    private static func identityKeys(of mode: TransformOptions.AuthMode) -> [String] {
        switch mode {
        case .apiKey: []
        case .userPools, .oidc: ["username", "sub", "groups", "claims"]
        case .iam: ["role", "userArn"]
        case .lambda: ["deniedFields", "resolverContext"]
        }
    }

    /// The mode that an identity names.
    private static func mode(named name: String) -> TransformOptions.AuthMode? {
        switch name {
        case "apiKey": .apiKey
        case "userPools": .userPools
        case "oidc": .oidc
        case "iam": .iam
        case "lambda": .lambda
        default: nil
        }
    }

    /// Refuses keys that are not known, at each level but in items and claims.
    static func checkKeys(of file: JSONObject, path: String) throws(ServerError) {
        try check(file, "", fileKeys, path)
        for key in ["identities", "given"] where file[key].map({ $0.objectValue == nil }) ?? false {
            throw invalid(path, "\(key) must be an object.")
        }
        for (index, entry) in (file["cases"]?.arrayValue ?? []).enumerated() {
            let place = "cases[\(index)]"
            guard let entry = entry.objectValue else { throw invalid(path, "\(place) must be an object.") }
            try check(entry, place, caseKeys, path)
            if let name = entry["name"], name.stringValue == nil {
                throw invalid(path, "\(place).name must be a string.")
            }
            if let subscribers = entry["subscribers"] { try checkKeys(ofSubscribers: subscribers, place, path) }
            guard let answer = entry["expect"]?.objectValue else { continue }
            try check(answer, "\(place).expect", answerKeys, path)
            guard let errors = answer["errors"] else { continue }
            guard let list = errors.arrayValue else {
                throw invalid(path, "\(place).expect.errors must be a list of objects.")
            }
            for (position, error) in list.enumerated() {
                let errorPlace = "\(place).expect.errors[\(position)]"
                guard let error = error.objectValue else { throw invalid(path, "\(errorPlace) must be an object.") }
                try check(error, errorPlace, errorKeys, path)
            }
        }
    }

    private static func checkKeys(
        ofSubscribers subscribers: JSONValue, _ place: String, _ path: String
    ) throws(ServerError) {
        guard let list = subscribers.arrayValue else {
            throw invalid(path, "\(place).subscribers must be a list of objects.")
        }
        for (index, subscriber) in list.enumerated() {
            let place = "\(place).subscribers[\(index)]"
            guard let subscriber = subscriber.objectValue else { throw invalid(path, "\(place) must be an object.") }
            try check(subscriber, place, subscriberKeys, path)
            if let event = subscriber["expect"]?.objectValue { try check(event, "\(place).expect", eventKeys, path) }
        }
    }

    private static func check(
        _ object: JSONObject, _ place: String, _ known: [String], _ path: String
    ) throws(ServerError) {
        for key in object.keys where !known.contains(key) {
            let hint = SuggestionList.hint(for: key, among: known) ?? "Its keys are \(known.joined(separator: ", "))."
            throw invalid(path, "\(place.isEmpty ? "" : "\(place): ")unknown key '\(key)'. \(hint)")
        }
    }

    private static func invalid(_ path: String, _ message: String) -> ServerError {
        ServerError(.invalid, "\(path): \(message)")
    }

    /// Refuses identities of modes that the API does not have, models and fields that it does not have, and values that do
    /// not fit.
    func check(against definition: APIDefinition) throws(ServerError) {
        for name in identities.keys.sorted() { try checkIdentity(name, definition) }
        for (model, items) in given {
            guard let place = definition.model(named: model) else {
                let hint = SuggestionList.hint(for: model, among: definition.models.map(\.name)).map { " \($0)" } ?? ""
                throw Self.invalid(path, "given.\(model): the schema has no model \(model).\(hint)")
            }
            let table = definition.tables[definition.models[place].table]
            for (index, item) in items.enumerated() {
                let itemPlace = "given.\(model)[\(index)]"
                for (name, value) in item { try check(value, of: name, itemPlace, table) }
                for field in table.key.columns.map({ table.columns[$0].field }) where (item[field] ?? .null).isNull {
                    throw Self.invalid(path, "\(itemPlace): the key '\(field)' is missing.")
                }
            }
        }
    }

    private func checkIdentity(_ name: String, _ definition: APIDefinition) throws(ServerError) {
        let place = "identities.\(name)"
        guard let identity = identities[name]?.objectValue else {
            throw Self.invalid(path, "\(place) must be an object.")
        }
        guard let mode = identity["mode"]?.stringValue.flatMap(Self.mode) else {
            throw Self.invalid(path, "\(place): mode must be apiKey, userPools, oidc, iam or lambda.")
        }
        guard definition.authModes.contains(mode) else {
            let modes = definition.authModes.map(\.configurationName).joined(separator: ", ")
            throw Self.invalid(
                path, "\(place): \(mode.configurationName) is not a mode of this API. Its modes: \(modes).")
        }
        try Self.check(identity, place, ["mode"] + Self.identityKeys(of: mode), path)
        func refuse(_ key: String, _ expected: String) -> ServerError {
            Self.invalid(path, "\(place).\(key) must be \(expected).")
        }
        for key in ["username", "sub", "role", "userArn"] where identity[key].map({ $0.stringValue == nil }) ?? false {
            throw refuse(key, "a string")
        }
        if let groups = identity["groups"] {
            guard let list = groups.arrayValue, list.allSatisfy({ $0.stringValue != nil }) else {
                throw refuse("groups", "a list of strings")
            }
        }
        for key in ["claims", "resolverContext"] where identity[key].map({ $0.objectValue == nil }) ?? false {
            throw refuse(key, "an object")
        }
        guard LambdaMode.deniedFields(identity["deniedFields"]) != nil else {
            throw refuse("deniedFields", "a list of Type.field or ARNs of fields")
        }
        let context = identity["resolverContext"]?.objectValue ?? JSONObject()
        for (key, value) in context where !LambdaMode.isContextValue(value) {
            throw refuse("resolverContext.\(key)", "a string, a number, true or false")
        }
    }

    private func check(_ value: JSONValue, of name: String, _ place: String, _ table: Table) throws(ServerError) {
        guard let column = table.position(of: name) else {
            let hint = SuggestionList.hint(for: name, among: table.columns.map(\.field)).map { " \($0)" } ?? ""
            throw Self.invalid(path, "\(place): \(table.name) stores no field '\(name)'.\(hint)")
        }
        let expected: String? =
            switch (table.columns[column].type, value) {
            case (_, .null), (.json, _), (.text, .string), (.boolean, .bool): nil
            case (.integer, .number): value.intValue == nil ? "a whole number" : nil
            case (.real, .number): value.doubleValue == nil ? "a number" : nil
            case (.text, _): "a string"
            case (.integer, _): "a whole number"
            case (.real, _): "a number"
            case (.boolean, _): "true or false"
            }
        if let expected { throw Self.invalid(path, "\(place).\(name) must be \(expected), and is \(value).") }
    }
}
