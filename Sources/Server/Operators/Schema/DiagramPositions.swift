import JSON
import Synchronization

/// Where the diagram shows types, in a file of the data folder that only the server's user may read. The schema does not have it,
/// and types that are not in the schema may have a position: a draft has them.
final class DiagramPositions: Sendable {
    private let folder: String
    /// Held while the file is read and replaced.
    private let lock = Mutex(())

    /// - Parameter dataFolder: The data folder.
    init(dataFolder: String) { folder = "\(dataFolder)/\(SchemaDrafts.folderName)" }

    private var path: String { "\(folder)/diagram.json" }

    /// The positions by the names of types. A file that is damaged counts as none.
    func read() -> JSONObject { lock.withLock { _ in stored() } }

    private func stored() -> JSONObject {
        guard let bytes = try? Files.read(path, bytesMax: SchemaLimits.requestBytesMax) else { return JSONObject() }
        return (try? JSONReader.read(bytes))?.objectValue ?? JSONObject()
    }

    /// Sets the positions of some types, and removes those that are null. Beyond the bound, those that were set first go.
    /// - Returns: All positions.
    func change(_ change: DiagramChange) throws(OperatorProblem) -> JSONObject {
        try lock.withLock { _ throws(OperatorProblem) in
            var all = stored()
            for (type, position) in change.positions {
                all[type] = nil
                if !position.isNull { all[type] = position }
            }
            let kept = JSONObject(all.suffix(SchemaLimits.positionsMax).map { ($0.key, $0.value) })
            do throws(Files.Failure) {
                try Files.makePrivateFolder(folder)
                try Files.replacePrivately(path, with: Array(JSONValue.object(kept).description.utf8))
            } catch {
                throw OperatorProblem(
                    code: .unavailable, message: "Cannot write the positions of the diagram: \(error.reason).")
            }
            return kept
        }
    }
}
