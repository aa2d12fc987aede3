import Amplify
public import Codegen
import JSON
import Transformer

/// Ids and keys of an Amplify project that only a client file has: where the project has no `amplify-meta.json` of an
/// environment, its ids are read from the client files beside it, and a file of another environment would replace them.
public enum ClientFileIDs {
    /// The members of client files that are ids or keys.
    private static let names: Set = [
        "PoolId", "AppClientId", "AppId", "appId", "Bucket", "bucket", "ApiKey", "apiKey", "user_pool_id",
        "user_pool_client_id", "identity_pool_id", "app_id", "bucket_name", "api_key",
    ]
    private static let namesOfKeys: Set = ["ApiKey", "apiKey", "api_key"]
    /// How many folders are looked at upwards.
    private static let foldersMax = 32

    /// Throws if a text would replace the only source of ids of an Amplify project.
    ///
    /// - Parameters:
    ///   - path: The client file, which exists.
    ///   - existing: Its present bytes.
    public static func check(
        _ file: ClientFile, at path: String, existing: [UInt8], replacement text: String
    ) throws(ServerError) {
        guard let old = file.read(String(decoding: existing, as: UTF8.self)), let new = file.read(text) else { return }
        var lost: [(path: [String], id: String, new: String?)] = []
        collect(.object(old), .object(new), [], &lost)
        guard !lost.isEmpty, let folder = project(readingFrom: path, file) else { return }
        let known = AmplifyProject.idsWithoutClientFiles(of: folder)
        let diagnostics = lost.filter { !known.contains($0.id) }.map { keys, id, new in
            let isKey = namesOfKeys.contains(keys.last ?? "")
            func shown(_ text: String) -> String { isKey ? "\(text.prefix(8))…" : text }
            return Diagnostic(
                kind: "ServerError",
                message: "\(path) has \(keys.joined(separator: ".")) \(shown(id)), which no other file of the Amplify "
                    + "project has; "
                    + (new.map { "it would be replaced by \(shown($0))." } ?? "it would be removed."),
                hint: "Write elsewhere with --out DIR, or replace it with --force.")
        }
        guard diagnostics.isEmpty else { throw ServerError(.refused, diagnostics) }
    }

    /// Throws if a text would replace what a project of Gen 2 is read from, or would itself be read as the project.
    ///
    /// - Parameters:
    ///   - path: The client file.
    ///   - existing: Its present bytes; nil where there is none.
    ///   - force: Whether the file was asked to be replaced.
    public static func checkSource(
        _ file: ClientFile, at path: String, existing: [UInt8]?, replacement text: String, force: Bool
    ) throws(ServerError) {
        guard file == .amplifyOutputs else { return }
        let folder = Files.folder(of: Files.realPath(path) ?? path)
        let isGen2 = AmplifyDetection.isGen2(folder)
        let advice = "Write it for the app elsewhere: 'syncline pull --out DIR --format \(file.rawValue)'."
        if let existing, !existing.isEmpty, isGen2 || AmplifyDetection.isOutputsAlone(folder) {
            let old = file.read(String(decoding: existing, as: UTF8.self)).map(JSONValue.object)
            guard force || old.map({ AmplifyProject.isOfServer(outputs: $0) }) ?? false else {
                throw ServerError(
                    .refused,
                    "The ids, modes and models of the Amplify project are read from \(path), and nothing was written.",
                    hint: "\(advice) With --force it is replaced, and the project is then served without what is in it."
                )
            }
        }
        let new = file.read(text).map(JSONValue.object)
        guard isGen2, let new, !AmplifyProject.isOfServer(outputs: new) else { return }
        throw ServerError(
            .refused,
            "The server has no GraphQL API, and \(path) would be read as a file of the Amplify project: nothing was written.",
            hint: advice)
    }

    /// The ids of a value that another one does not have at the same place, each once.
    private static func collect(
        _ old: JSONValue, _ new: JSONValue?, _ path: [String],
        _ lost: inout [(path: [String], id: String, new: String?)]
    ) {
        for (key, value) in old.objectValue ?? [:] {
            let other = new?[key]
            if names.contains(key), let id = value.stringValue {
                guard !id.isEmpty, id != APIKeys.defaultKey, other?.stringValue != id,
                    !lost.contains(where: { $0.id == id })
                else { continue }
                lost.append((path + [key], id, other?.stringValue))
            } else {
                collect(value, other, path + [key], &lost)
            }
        }
        for (index, value) in (old.arrayValue ?? []).enumerated() {
            let others = new?.arrayValue ?? []
            collect(value, index < others.count ? others[index] : nil, path + [String(index)], &lost)
        }
    }

    /// The Amplify project that reads its ids from a file, if one does.
    private static func project(readingFrom path: String, _ file: ClientFile) -> ProjectFolder? {
        guard let real = Files.realPath(path) else { return nil }
        var root = Files.folder(of: real)
        for depth in 0..<foldersMax {
            let isAlone = depth == 0 && file == .amplifyOutputs && AmplifyDetection.isOutputsAlone(root)
            if isAlone || AmplifyDetection.isProject(root) {
                let folder = ProjectFolder.onDisk(root, prefix: "")
                let isRead = AmplifyProject.clientFiles(of: folder).contains {
                    Files.realPath(Files.path($0, in: root)) == real
                }
                return isRead ? folder : nil
            }
            guard root != "/" else { return nil }
            root = Files.folder(of: root)
        }
        return nil
    }
}
