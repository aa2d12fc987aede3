import UserPools

/// The folder of keys: files that only their owner may read.
struct KeyFolder: Sendable {
    let path: String

    init(_ path: String) { self.path = path }

    /// The most bytes of a key file.
    static let bytesMax = 1 << 20

    var storage: KeyStorage {
        KeyStorage(
            read: { name throws(KeyStorage.Failure) in
                let file = "\(path)/\(name)"
                guard Files.exists(file) else { return nil }
                do throws(Files.Failure) {
                    return try Files.read(file, bytesMax: Self.bytesMax)
                } catch {
                    throw KeyStorage.Failure(message: "Cannot read the key file \(file): \(error.reason).")
                }
            },
            write: { name, bytes throws(KeyStorage.Failure) in
                do throws(Files.Failure) {
                    try Files.makePrivateFolder(path)
                    try Files.replacePrivately("\(path)/\(name)", with: bytes)
                } catch {
                    throw KeyStorage.Failure(message: "Cannot write the key file \(path)/\(name): \(error.reason).")
                }
            },
            remove: { name throws(KeyStorage.Failure) in
                let file = "\(path)/\(name)"
                Files.remove(file)
                guard !Files.exists(file) else {
                    throw KeyStorage.Failure(message: "Cannot remove the key file \(file).")
                }
            })
    }
}
