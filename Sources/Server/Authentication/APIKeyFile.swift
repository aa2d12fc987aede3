import JSON

/// The file with the created API keys of a data folder: `api-keys.json`, readable only by the server's user. Like the
/// operators' file it is not in the database, so that restoring a backup does not restore revoked keys.
struct APIKeyFile: Sendable {
    static let name = "api-keys.json"
    static let lockName = "api-keys.lock"
    static let bytesMax = 1 << 20
    /// Maximum number of keys of a data folder (AWS AppSync, "Quotas": 50 keys for each API).
    static let countMax = 50

    /// The data folder.
    let folder: String

    var path: String { "\(folder)/\(Self.name)" }

    /// The file of a configuration's data folder.
    init(_ configuration: Configuration) throws(ServerError) {
        guard !configuration.data.isEphemeral else {
            throw ServerError(
                .usage, "Data that is thrown away at exit keeps no API keys. Name a folder with \(Setting.data.flag).")
        }
        folder = configuration.data.folder
    }

    /// The keys in the order in which they were created; empty if there is no file.
    func read() throws(ServerError) -> [StoredAPIKey] {
        let bytes: [UInt8]
        do throws(Files.Failure) {
            bytes = try Files.read(path, bytesMax: Self.bytesMax)
        } catch {
            if error.isMissing { return [] }
            throw ServerError(.data, "Cannot read the API keys in \(path): \(error.reason).")
        }
        let entries = (try? JSONReader.read(bytes))?["keys"]?.arrayValue
        let keys = entries?.compactMap(StoredAPIKey.init)
        guard let keys, keys.count == entries?.count else {
            throw ServerError(.data, "\(path) is damaged. Remove it, which revokes its keys, and create them again.")
        }
        return keys
    }

    /// Creates a key and returns it; only its hash is stored.
    func create(_ name: String, days: Int, now: Int64) throws(ServerError) -> (key: String, stored: StoredAPIKey) {
        let key = APIKey.generate()
        let stored = StoredAPIKey(name: name, key: key, days: days, now: now)
        try change { keys throws(ServerError) in
            guard !keys.contains(where: { $0.name == name }) else {
                throw ServerError(
                    .refused, "There is an API key \(name) already. Revoke it first, or choose another name.")
            }
            guard keys.count < Self.countMax else {
                throw ServerError(.refused, "There are \(Self.countMax) API keys already. Revoke one first.")
            }
            keys.append(stored)
        }
        PrivateFiles.secure(folder)
        return (key, stored)
    }

    /// Revokes a key: it is refused from the next request on.
    func revoke(_ name: String) throws(ServerError) {
        try change { keys throws(ServerError) in
            guard let index = keys.firstIndex(where: { $0.name == name }) else {
                throw OperatorProblem.unknownKey(name).serverError
            }
            keys.remove(at: index)
        }
    }

    /// Changes the keys, one change at a time.
    private func change(_ body: (inout [StoredAPIKey]) throws(ServerError) -> Void) throws(ServerError) {
        let lock: Files.Lock
        do throws(Files.Failure) {
            try Files.makeFolder(folder)
            lock = try Files.Lock("\(folder)/\(Self.lockName)")
        } catch {
            throw ServerError(.data, "Cannot lock the API keys in \(folder): \(error.reason).")
        }
        defer { lock.release() }
        var keys = try read()
        try body(&keys)
        let value: JSONValue = ["keys": .array(keys.map(\.value))]
        do throws(Files.Failure) {
            try Files.write("\(value)\n", to: path, isPrivate: true, isDurable: true)
        } catch {
            throw ServerError(.data, "Cannot write the API keys to \(path): \(error.reason).")
        }
    }
}
