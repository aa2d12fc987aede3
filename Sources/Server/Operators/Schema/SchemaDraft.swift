import JSON
import SchemaEdit

/// A schema that an operator has begun to change: the files, and those that it began from.
struct SchemaDraft: Sendable, Equatable {
    let files: SchemaText
    /// The hash of `baseFiles`.
    let base: String
    let baseFiles: SchemaText
    let renames: [SchemaRename]

    init(_ body: JSONObject) throws(OperatorProblem) {
        files = try SchemaText(body["files"])
        baseFiles = try SchemaText(body["baseFiles"], "baseFiles")
        guard let base = body["base"]?.stringValue, base == baseFiles.hash else {
            throw .invalid("'base' is the hash of 'baseFiles'.", field: "base")
        }
        self.base = base
        renames = try [SchemaRename](body["renames"])
    }

    var changesNothing: Bool { files == baseFiles && renames.isEmpty }

    var json: JSONObject {
        [
            "files": files.json, "base": .string(base), "baseFiles": baseFiles.json,
            "renames": .array(renames.map(\.json)),
        ]
    }
}

extension [SchemaRename] {
    /// Reads the `renames` of a body; none where there are none.
    init(_ json: JSONValue?) throws(OperatorProblem) {
        self = []
        guard let json, !json.isNull else { return }
        let problem = OperatorProblem.invalid(
            "'renames' is a list of {\"type\",\"to\"} and {\"type\",\"field\",\"to\"}.", field: "renames")
        guard let elements = json.arrayValue, elements.count <= SchemaLimits.renamesMax else { throw problem }
        for element in elements {
            guard let type = element["type"]?.stringValue, let new = element["to"]?.stringValue else { throw problem }
            let field = element["field"]?.stringValue
            let names = [type, new, field].compactMap(\.self)
            guard names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 255 && !$0.contains(".") && !$0.contains("=") })
            else { throw problem }
            append(field.map { .field(type: type, old: $0, new: new) } ?? .type(old: type, new: new))
        }
    }
}
