import Crypto
import CryptoExtras
import Encodings
import JSON
import UserPools

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The keys of user pools in a file of their own beside a backup, encrypted under a passphrase: by scrypt (RFC 7914) and
/// AES-GCM.
public enum KeyBackup {
    /// What is appended to the name of a backup, unless another file is named.
    public static let suffix = ".keys"
    /// The cost of scrypt: 32 MiB of memory for each guess of the passphrase.
    private static let rounds = 1 << 15
    private static let context = Array("syncline keys 1".utf8)
    /// The fewest characters of a passphrase.
    public static let passphraseCharactersMin = 8
    /// The largest file of keys, in bytes. The keys of a pool take about 6,400, so 40,000 pools fit.
    static let fileBytesMax = 256 << 20

    /// Whether a folder has keys.
    public static func isNeeded(_ configuration: Configuration) -> Bool {
        Files.exists("\(keyFolder(of: configuration))/\(LostSecrets.sealingFileName)")
    }

    /// Reads a passphrase: the first line of a file.
    public static func passphrase(_ file: String) throws(ServerError) -> String {
        let text: String
        do throws(Files.Failure) {
            text = String(decoding: try Files.read(file, bytesMax: 1 << 16), as: UTF8.self)
        } catch {
            throw ServerError(.usage, "Cannot read the passphrase file \(file): \(error.reason).")
        }
        let line = String(text.prefix { !$0.isNewline })
        guard line.count >= passphraseCharactersMin else {
            throw ServerError(.usage, "The passphrase in \(file) has fewer than \(passphraseCharactersMin) characters.")
        }
        return line
    }

    /// Refuses, before a backup is made, a file of keys that is there already, keys that an interrupted restore left half in
    /// their place, and more keys than a restore reads.
    public static func check(
        _ configuration: Configuration, file: String, replaces: Bool
    ) throws(ServerError) {
        try AmplifyFolder.refuseWriting(file: file, of: "--keys")
        let folder = configuration.data.folder
        guard !Files.exists("\(folder)/keys.restored") else {
            throw ServerError(
                .data, "A restore of \(folder) was interrupted.", hint: "Start the server or restore again.")
        }
        guard replaces || !Files.exists(file) else {
            throw ServerError(
                .refused, "\(file) is there already.",
                hint: "Replace it with --force, or name another file.")
        }
        let keys = keyFolder(of: configuration)
        let names = (try? keyFiles(in: keys)) ?? []
        let byteCount = names.reduce(0) { count, name in
            let file = "\(keys)/\(name)"
            return count + name.utf8.count + (Files.fingerprint(file).map { Int($0.size) } ?? 0)
        }
        // Base64 is applied twice, to each file and to all of them; each time 3 bytes become 4.
        guard byteCount / 9 * 16 <= fileBytesMax else { throw tooManyKeys(file) }
    }

    private static func tooManyKeys(_ file: String) -> ServerError {
        ServerError(
            .refused, "The keys of user pools are too large for \(file), which has at most \(fileBytesMax >> 20) MiB.",
            hint: "Copy the folder `keys` of the data folder itself, and keep the copy secret.")
    }

    private static func keyFiles(in folder: String) throws(Files.Failure) -> [String] {
        try Files.names(inFolder: folder).sorted().filter { $0.hasSuffix(".json") }
    }

    /// Writes the keys of the data folder.
    public static func write(
        _ configuration: Configuration, to file: String, passphrase: String
    ) throws(ServerError) {
        let folder = keyFolder(of: configuration)
        let bytes: [UInt8]
        do throws(Files.Failure) {
            var files = JSONObject()
            for name in try keyFiles(in: folder) {
                files[name] = .string(Base64.encode(try Files.read("\(folder)/\(name)", bytesMax: KeyFolder.bytesMax)))
            }
            var generator = SystemRandomNumberGenerator()
            let salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard let key = key(passphrase, salt, rounds),
                let box = try? AES.GCM.seal(
                    Array(JSONValue.object(files).description.utf8), using: key, authenticating: context
                ).combined
            else { throw Files.Failure(code: 0, reason: "the keys could not be encrypted") }
            let value: JSONValue = [
                "version": 1, "salt": .string(Base64.encode(salt)), "rounds": .number(String(rounds)),
                "sealed": .string(Base64.encode([UInt8](box))),
            ]
            bytes = Array("\(value)\n".utf8)
        } catch {
            throw ServerError(.failed, "Cannot write the keys to \(file): \(error.reason).")
        }
        // Pools may have been made since `check`.
        guard bytes.count <= fileBytesMax else { throw tooManyKeys(file) }
        do throws(Files.Failure) {
            // The folder is the user's, and may have a file of any name.
            try Files.replacePrivately(file, with: bytes, partial: Files.freshPath(beside: file))
        } catch {
            throw ServerError(.failed, "Cannot write the keys to \(file): \(error.reason).")
        }
    }

    /// Reads a file of keys.
    /// - Returns: The files by their names.
    public static func read(_ file: String, passphrase: String) throws(ServerError) -> [String: [UInt8]] {
        let bytes: [UInt8]
        do throws(Files.Failure) {
            bytes = try Files.read(file, bytesMax: fileBytesMax)
        } catch {
            throw ServerError(.usage, "Cannot read the keys \(file): \(error.reason).")
        }
        guard let value = try? JSONReader.read(bytes),
            let salt = value["salt"]?.stringValue.flatMap({ Base64.decode($0.utf8) }),
            let sealed = value["sealed"]?.stringValue.flatMap({ Base64.decode($0.utf8) }),
            let rounds = value["rounds"]?.intValue, (2...(1 << 20)).contains(rounds)
        else { throw ServerError(.data, "\(file) is no file of keys.") }
        guard let key = key(passphrase, salt, Int(rounds)), let box = try? AES.GCM.SealedBox(combined: sealed),
            let opened = try? AES.GCM.open(box, using: key, authenticating: context),
            let files = (try? JSONReader.read([UInt8](opened)))?.objectValue
        else { throw ServerError(.data, "\(file) does not open with this passphrase.") }
        var keys: [String: [UInt8]] = [:]
        for (name, text) in files {
            guard isKeyFile(name), let bytes = text.stringValue.flatMap({ Base64.decode($0.utf8) }) else {
                throw ServerError(.data, "\(file) is damaged.")
            }
            keys[name] = bytes
        }
        guard keys[LostSecrets.sealingFileName] != nil else {
            throw ServerError(.data, "\(file) has no sealing keys.")
        }
        return keys
    }

    /// Whether a name is that of a file of keys, and no path.
    private static func isKeyFile(_ name: String) -> Bool {
        name.hasSuffix(".json") && !name.hasPrefix(".") && name.utf8.count <= 255
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// Refuses a folder whose keys cannot be replaced together with its data.
    static func checkFolder(of configuration: Configuration) throws(ServerError) {
        guard Files.target(ofLink: keyFolder(of: configuration)) == nil else {
            throw ServerError(
                .refused, "\(keyFolder(of: configuration)) is a symbolic link, and keys would be put in its place.",
                hint: "Remove the link, or restore into another folder.")
        }
    }

    /// Writes keys into a folder that is not there yet.
    static func write(_ keys: [String: [UInt8]], to folder: String) throws(ServerError) {
        do throws(Files.Failure) {
            try Files.makePrivateFolder(folder)
            for (name, bytes) in keys { try Files.replacePrivately("\(folder)/\(name)", with: bytes) }
        } catch {
            throw ServerError(.data, "Cannot write the keys to \(folder): \(error.reason).")
        }
    }

    /// The keys of a data folder: the names of its files, and the bytes of the sealing keys.
    static func keys(of configuration: Configuration) -> (files: Set<String>, sealing: [UInt8]?) {
        let folder = keyFolder(of: configuration)
        let names = (try? Files.names(inFolder: folder)) ?? []
        return (
            Set(names), try? Files.read("\(folder)/\(LostSecrets.sealingFileName)", bytesMax: KeyFolder.bytesMax)
        )
    }

    private static func keyFolder(of configuration: Configuration) -> String { "\(configuration.data.folder)/keys" }

    private static func key(_ passphrase: String, _ salt: [UInt8], _ rounds: Int) -> SymmetricKey? {
        try? KDF.Scrypt.deriveKey(
            from: Array(passphrase.utf8), salt: salt, outputByteCount: 32, rounds: rounds, blockSize: 8, parallelism: 1,
            maxMemory: 256 << 20)
    }
}
