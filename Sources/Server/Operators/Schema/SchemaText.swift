import Crypto
import Encodings
import GraphQL
import JSON
import SchemaEdit

/// The files of a schema, by the names that the operators' API gives them, in their order.
struct SchemaText: Sendable, Equatable {
    var files: [SchemaFile]

    init(_ files: [SchemaFile] = []) { self.files = files }

    /// Reads `{"schema.graphql": "…"}`.
    ///
    /// - Parameter field: The member that has it, for errors.
    init(_ json: JSONValue?, _ field: String = "files") throws(OperatorProblem) {
        guard let members = json?.objectValue else {
            throw .invalid("'\(field)' is an object of file names and texts.", field: field)
        }
        let limits = SchemaEditLimits.standard
        files = []
        var byteCount = 0
        for (name, value) in members {
            guard let text = value.stringValue else {
                throw .invalid("'\(field)' has a value that is not a string.", field: field)
            }
            byteCount += text.utf8.count
            guard byteCount <= limits.textBytesMax else {
                throw .tooLarge("A schema has at most \(limits.textBytesMax >> 20) MiB.", field: field)
            }
            files.append(SchemaFile(name: name, text: text))
        }
        guard files.count <= limits.filesMax else {
            throw .tooLarge("A schema has at most \(limits.filesMax) files.", field: field)
        }
    }

    /// 16 hexadecimal digits that differ where a name or a text does.
    var hash: String {
        var hash = SHA256()
        for file in files {
            hash.update(data: Array("\(file.name.utf8.count) \(file.bytes.count) \(file.name)\n".utf8))
            hash.update(data: file.bytes)
        }
        return Hexadecimal.text(of: Array(hash.finalize().prefix(8)))
    }

    var json: JSONValue { .object(JSONObject(files.map { ($0.name, .string($0.text)) })) }

    var sources: [Source] { files.map { Source($0.bytes, name: $0.name) } }

    subscript(name: String) -> SchemaFile? { files.first { $0.name == name } }
}

extension OperatorProblem {
    static func tooLarge(_ message: String, field: String?) -> OperatorProblem {
        OperatorProblem(code: .tooLarge, message: message, field: field)
    }
}
