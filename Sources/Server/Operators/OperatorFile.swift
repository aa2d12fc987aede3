import JSON

/// Where the operators of a data folder are kept: `operators.json`, readable by the server's user alone.
///
/// A file of its own, beside the database: the command line changes it while a server runs, a backup does not contain
/// it, and a restored backup does not bring revoked tokens back. It is replaced in one step; writers take turns by a
/// lock.
struct OperatorFile: Sendable {
    static let name = "operators.json"
    static let lockName = "operators.lock"
    static let bytesMax = 1 << 20

    /// The data folder.
    let folder: String

    var path: String { "\(folder)/\(Self.name)" }

    /// The operators in the order in which they were created; none where there is no file.
    func read() throws(ServerError) -> [Operator] {
        let bytes: [UInt8]
        do throws(Files.Failure) {
            bytes = try Files.read(path, bytesMax: Self.bytesMax)
        } catch {
            if error.isMissing { return [] }
            throw ServerError(.data, "Cannot read the operators in \(path): \(error.reason).")
        }
        guard let entries = (try? JSONReader.read(bytes))?["operators"]?.arrayValue else { throw damaged }
        let operators = entries.compactMap(Operator.init)
        guard operators.count == entries.count else { throw damaged }
        return operators
    }

    private var damaged: ServerError {
        ServerError(.data, "\(path) is damaged. Remove it, which revokes all operators, and create them again.")
    }

    /// Changes the operators, one change at a time, and makes the data folder when it is not there.
    func change(_ body: (inout [Operator]) throws(ServerError) -> Void) throws(ServerError) {
        do throws(Files.Failure) {
            try Files.makeFolder(folder)
        } catch {
            throw ServerError(.data, "Cannot make the data folder \(folder): \(error.reason).")
        }
        let lock: Files.Lock
        do throws(Files.Failure) {
            lock = try Files.Lock("\(folder)/\(Self.lockName)")
        } catch {
            throw ServerError(.data, "Cannot lock the operators in \(folder): \(error.reason).")
        }
        defer { lock.release() }
        var operators = try read()
        try body(&operators)
        let value = JSONValue.object(["operators": .array(operators.map(\.value))])
        do throws(Files.Failure) {
            try Files.write("\(value)\n", to: path, isPrivate: true, isDurable: true)
        } catch {
            throw ServerError(.data, "Cannot write the operators to \(path): \(error.reason).")
        }
    }
}
