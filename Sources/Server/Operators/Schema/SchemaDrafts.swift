import Crypto
import Encodings
import JSON

/// The drafts of operators, one for each, in files of the data folder that only the server's user may read.
struct SchemaDrafts: Sendable {
    /// The folder of everything that is kept about schemas.
    static let folderName = "schema-changes"
    private let folder: String

    /// - Parameter dataFolder: The data folder.
    init(dataFolder: String) { folder = "\(dataFolder)/\(Self.folderName)" }

    /// A name of any characters as one of a file.
    private func path(of name: String) -> String {
        "\(folder)/draft-\(Hexadecimal.text(of: Array(SHA256.hash(data: Array(name.utf8)).prefix(16)))).json"
    }

    /// As the operators' API has it; nil where the operator has none. A file that is damaged counts as none.
    func read(of name: String) throws(OperatorProblem) -> JSONObject? {
        let bytes: [UInt8]
        do throws(Files.Failure) {
            bytes = try Files.read(path(of: name), bytesMax: 2 * SchemaLimits.requestBytesMax)
        } catch {
            guard !error.isMissing else { return nil }
            throw Self.problem("read", error)
        }
        guard let object = (try? JSONReader.read(bytes))?.objectValue, (try? SchemaDraft(object)) != nil else {
            return nil
        }
        return object
    }

    func write(_ draft: SchemaDraft, of name: String) throws(OperatorProblem) -> JSONObject {
        var object = draft.json
        object["savedAt"] = .string(Moment.now.text)
        let path = path(of: name)
        let count = ((try? Files.names(inFolder: folder)) ?? []).count { $0.hasPrefix("draft-") }
        guard Files.exists(path) || count < SchemaLimits.draftsMax else {
            throw OperatorProblem(
                code: .limited, message: "The server keeps drafts of \(SchemaLimits.draftsMax) operators already.",
                hint: "Remove files that begin with draft- from \(folder).")
        }
        do throws(Files.Failure) {
            try Files.makePrivateFolder(folder)
            try Files.replacePrivately(path, with: Array(JSONValue.object(object).description.utf8))
        } catch { throw Self.problem("write", error) }
        return object
    }

    func remove(of name: String) { Files.remove(path(of: name)) }

    private static func problem(_ verb: String, _ failure: Files.Failure) -> OperatorProblem {
        OperatorProblem(code: .unavailable, message: "Cannot \(verb) the draft: \(failure.reason).")
    }
}
