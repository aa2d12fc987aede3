import JSON
import Transformer

// Who may do what, for people and for machines.

extension AccessReport {
    /// A heading, and for each model what may be done, with which field if it is about one, and a row for each kind of callers.
    /// Operations with the same field and callers stand together.
    var lines: [String] {
        guard !subjects.isEmpty else { return [] }
        var rows: [[String]] = []
        for subject in subjects {
            if let sentence = subject.sentence { rows.append([subject.name, "", "", sentence]) }
            // What the sentence says is not said again of each operation.
            if subject.state == .closed, subject.entries.allSatisfy(\.callers.isEmpty) { continue }
            var groups: [(operations: [String], field: String?, callers: [Caller])] = []
            for entry in subject.entries {
                if let place = groups.firstIndex(where: { $0.field == entry.field && $0.callers == entry.callers }) {
                    groups[place].operations.append(entry.words)
                } else {
                    groups.append(([entry.words], entry.field, entry.callers))
                }
            }
            for group in groups {
                let operations = group.operations.joined(separator: ", ")
                rows.append([subject.name, operations, group.field ?? "", group.callers.first?.text ?? "nobody"])
                rows += group.callers.dropFirst().map { ["", "", "", $0.text] }
            }
        }
        if rows.allSatisfy(\.[2].isEmpty) { for place in rows.indices { rows[place].remove(at: 2) } }
        return ["Access"] + TextTable.lines(rows)
    }

    var json: JSONValue { .array(subjects.map(\.json)) }
}

extension AccessReport.Entry {
    fileprivate var words: String { operation == "setNull" ? "set to null" : operation }

    fileprivate var json: JSONValue {
        [
            "operation": .string(operation), "field": field.map { .string($0) } ?? .null,
            "rootFields": .array(rootFields.map(JSONValue.string)),
            "allowed": .array(callers.map(\.json)),
        ]
    }
}

extension AccessReport.Caller {
    fileprivate var text: String {
        "\(provider.words): \(words)\(fields.map { " [\($0.joined(separator: ", "))]" } ?? "")"
    }

    fileprivate var json: JSONValue {
        [
            "provider": .string(provider.rawValue), "role": role.map { .string($0) } ?? .null,
            "who": .string(words), "fields": fields.map { .array($0.map(JSONValue.string)) } ?? .null,
        ]
    }
}

extension AccessReport.Subject {
    fileprivate var json: JSONValue {
        [
            "type": .string(name), "state": .string(state.rawValue),
            "meaning": sentence.map { .string($0) } ?? .null, "operations": .array(entries.map(\.json)),
        ]
    }
}
