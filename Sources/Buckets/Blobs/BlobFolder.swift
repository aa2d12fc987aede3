import Encodings

/// A folder of blobs, each a file in one of 256 folders: that of a `BlobStore`, or of a backup. It derives the path of a blob from its
/// name; the files that are being written, in `incoming`, belong to `BlobStore`.
///
/// Calls block.
public struct BlobFolder: Sendable {
    /// The path.
    let path: String
    let calls: FileCalls

    /// A folder, which need not exist.
    ///
    /// - Parameter path: An absolute path, or for reading a relative one.
    public init(_ path: String, calls: FileCalls = .system()) { (self.path, self.calls) = (path, calls) }

    /// `00` to `ff`.
    static let shards = (0...255).map { Hexadecimal.text(of: [UInt8($0)]) }

    /// The folder of a blob or of a shard.
    func folder(of name: String) -> String { path(of: name, named: "") }

    /// The file of a blob.
    func path(of name: String) -> String { path(of: name, named: "/" + name) }

    /// Appended piece by piece: an interpolation took three times as long, with each read of an object.
    private func path(of name: String, named last: String) -> String {
        var text = ""
        text.reserveCapacity(path.utf8.count + 3 + last.utf8.count)
        text += path
        text += "/"
        text += name.prefix(2)
        text += last
        return text
    }

    /// The names of the blobs in a shard; none if it does not exist.
    func names(inShard shard: String) throws(BlobError) -> [String] {
        do throws(FileError) { return try calls.names(folder(of: shard)).filter(BlobStore.isName) } catch {
            guard BlobError(error) == .missing else { throw BlobError(error) }
            return []
        }
    }

    /// Removes the blobs that are not among these, and what an interrupted copy has left. Other files stay.
    public func removeBlobs(otherThan names: Set<String>) {
        for shard in Self.shards {
            for name in (try? calls.names(folder(of: shard))) ?? [] where !names.contains(name) {
                let blob = name.hasSuffix(Self.partialSuffix) ? String(name.dropLast(Self.partialSuffix.count)) : name
                guard BlobStore.isName(blob), blob.hasPrefix(shard) else { continue }
                try? calls.remove("\(folder(of: shard))/\(name)")
            }
        }
    }

    /// The suffix of a blob that is being copied.
    private static let partialSuffix = ".partial"

    /// The blobs that are neither in this folder nor in another one. Changes nothing.
    public func missing(_ names: Set<String>, from source: BlobFolder) throws(BlobError) -> Set<String> {
        var missing: Set<String> = []
        for name in names where try !contains(name) {
            if try !source.contains(name) { missing.insert(name) }
        }
        return missing
    }

    /// Copies blobs that are not in this folder yet: a blob never changes. Each gets its name when it is complete and on the disk.
    ///
    /// - Returns: The blobs that are in neither folder.
    public func copy(_ names: Set<String>, from source: BlobFolder) throws(BlobError) -> Set<String> {
        var absent: Set<String> = []
        for name in names where try !contains(name) { absent.insert(name) }
        guard !absent.isEmpty else { return [] }
        let folders = Set(absent.map { folder(of: $0) })
        do throws(FileError) {
            try calls.makeFolder(path)
            for folder in folders { try calls.makeFolder(folder) }
        } catch { throw BlobError(error) }
        var missing: Set<String> = []
        for name in absent {
            do throws(BlobError) { try copy(name, from: source) } catch {
                guard error == .missing else { throw error }
                missing.insert(name)
            }
        }
        do throws(FileError) {
            for folder in folders { try calls.synchronizeFolder(folder) }
            try calls.synchronizeFolder(path)
        } catch { throw BlobError(error) }
        return missing
    }

    private func contains(_ name: String) throws(BlobError) -> Bool {
        do throws(FileError) { calls.close(try calls.open(path(of: name))) } catch {
            guard BlobError(error) == .missing else { throw BlobError(error) }
            return false
        }
        return true
    }

    private func copy(_ name: String, from source: BlobFolder) throws(BlobError) {
        let partial = path(of: name) + Self.partialSuffix
        do throws(FileError) {
            let original = try source.calls.open(source.path(of: name))
            defer { source.calls.close(original) }
            // What an interrupted copy has left.
            try? calls.remove(partial)
            let copy = try calls.create(partial)
            defer { calls.close(copy) }
            do throws(FileError) {
                var offset = 0
                while true {
                    let bytes = try source.calls.read(original, offset, BlobStore.copyBytes)
                    if bytes.isEmpty { break }
                    try calls.writeAll(copy, bytes)
                    offset += bytes.count
                }
                try calls.synchronize(copy)
                try calls.rename(partial, path(of: name))
            } catch {
                try? calls.remove(partial)
                throw error
            }
        } catch { throw BlobError(error) }
    }
}
