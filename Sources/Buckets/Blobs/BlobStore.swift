import Encodings
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The storage of the bytes of objects: a folder of files, each written once and never changed.
///
/// Blobs have random names, never derived from keys. A blob is written to `incoming`, synchronized, and renamed into
/// one of 256 folders, which is synchronized as well. Only then is its name returned to be committed in the metadata. A
/// blob without metadata is an orphan, which `collectOrphans` removes. Removing a blob unlinks the file: readers that
/// have it open can still read it, and the system frees it when the last descriptor is closed (unlink(2)).
///
/// Calls block. Safe to use from any thread except an event loop's; `open`, which costs one system call, may be used there too.
/// (reference: storage, "Durability")
public final class BlobStore: Sendable {
    let calls: FileCalls
    private let folder: BlobFolder
    private let freeBytesMin: Int
    private let randomBytes: @Sendable (Int) -> [UInt8]
    /// Blobs that this process has made and whose metadata are not committed yet.
    private let pending = Mutex<Set<String>>([])
    private let removedBytesMax: Int
    /// Blobs that are open.
    private let readers = Mutex(ReaderTable())
    private let copiesHaveEnded = Atomic(false)
    /// Removed blobs whose files are kept for a backup.
    private let kept = Mutex<[KeptBlob]>([])

    private struct KeptBlob {
        let name: String
        let byteCount: Int
        let whenUnlinked: @Sendable () -> Void
    }

    /// Files that are kept for backups at one time. Beyond it files are removed at once, and a backup that needs them starts again.
    private static let keptMax = 1_000_000

    /// Opens the store in a folder, which is created if necessary. Incomplete files of an earlier process are removed.
    ///
    /// - Parameters:
    ///   - folder: An absolute path. Its parent folder must exist.
    ///   - freeBytesMin: `BucketLimits.freeBytesMin`.
    ///   - removedBytesMax: `BucketLimits.removedBytesMax`.
    ///   - randomBytes: A secure source.
    public init(
        folder: String, calls: FileCalls = .system(), freeBytesMin: Int = BucketLimits().freeBytesMin,
        removedBytesMax: Int = BucketLimits().removedBytesMax,
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = BlobStore.systemRandomBytes
    ) throws(BlobError) {
        self.folder = BlobFolder(folder, calls: calls)
        (self.calls, self.freeBytesMin, self.randomBytes) = (calls, freeBytesMin, randomBytes)
        self.removedBytesMax = removedBytesMax
        do throws(FileError) {
            try calls.makeFolder(folder)
            try calls.makeFolder(incoming)
            for name in try calls.names(incoming) { try calls.remove("\(incoming)/\(name)") }
            for shard in BlobFolder.shards { try calls.makeFolder(self.folder.folder(of: shard)) }
            try calls.synchronizeFolder(folder)
        } catch {
            throw BlobError(error)
        }
    }

    /// Bytes of the system's secure source.
    public static let systemRandomBytes: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private var incoming: String { folder.path + "/incoming" }

    private func path(of name: String) -> String { folder.path(of: name) }

    /// Whether a text has the form of a blob's name: 32 lower-case hexadecimal digits.
    public static func isName(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }

    private func makeName() -> String {
        let name = Hexadecimal.text(of: randomBytes(16))
        precondition(Self.isName(name), "sixteen random bytes are the name of a blob")
        return name
    }
}

// MARK: - Writing

extension BlobStore {
    /// Whether the disk has room for further bytes, beside those that the rest of the server needs to go on.
    func hasRoom(for byteCount: Int) -> Bool {
        guard let space = calls.space(folder.path) else { return true }
        return space.freeBytes - byteCount >= min(freeBytesMin, space.byteCount / 10)
    }

    /// Begins a blob.
    public func makeWriter() throws(BlobError) -> BlobWriter {
        let name = makeName()
        let path = "\(incoming)/\(name)"
        do throws(FileError) {
            return BlobWriter(self, name: name, path: path, descriptor: try calls.create(path))
        } catch {
            throw BlobError(error)
        }
    }

    /// Puts a synchronized file in its place. The blob is pending until `keep` or `remove`.
    func publish(_ path: String, as name: String) throws(BlobError) {
        pending.withLock { _ = $0.insert(name) }
        do throws(FileError) {
            try calls.rename(path, self.path(of: name))
            try calls.synchronizeFolder(folder.folder(of: name))
        } catch {
            // The file may already have either name.
            try? calls.remove(path)
            remove(name)
            throw BlobError(error)
        }
    }

    /// Copies a blob. Blobs are immutable, so the copy is a hard link where the file system supports it.
    ///
    /// - Parameters:
    ///   - source: The same blob, opened, because it may be removed concurrently.
    ///   - size: Its bytes.
    /// - Returns: The name of a pending blob, as `BlobWriter.finish` does.
    public func copy(_ name: String, _ source: OpenBlob, size: Int) async throws(BlobError) -> String {
        let copied = makeName()
        pending.withLock { _ = $0.insert(copied) }
        do throws(FileError) {
            try calls.link(path(of: name), path(of: copied))
            try calls.synchronizeFolder(folder.folder(of: copied))
            return copied
        } catch {
            remove(copied)
            // No links, too many links, or the source was removed: copy the bytes.
            guard [EPERM, EMLINK, ENOTSUP, ENOSYS, EXDEV, ENOENT].contains(error.code) else { throw BlobError(error) }
        }
        let writer = try makeWriter()
        try await writer.append(source, 0..<size) { _ in }
        return try writer.finish()
    }

    /// Bytes that are copied at a time.
    static let copyBytes = 1 << 20

    /// Reads a range of a blob, which must contain the whole range, in pieces of `copyBytes`. Between them the thread is given to
    /// other tasks, so that gigabytes do not delay small requests.
    ///
    /// - Throws: `busy` after `endCopies`.
    func read(
        _ range: Range<Int>, of blob: OpenBlob, _ body: ([UInt8]) throws(BlobError) -> Void
    ) async throws(BlobError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard !copiesHaveEnded.load(ordering: .relaxed) else { throw .busy }
            let bytes = try blob.read(at: offset, count: min(Self.copyBytes, range.upperBound - offset))
            guard !bytes.isEmpty else { throw .missing }
            try body(bytes)
            offset += bytes.count
            await Task.yield()
        }
    }

    /// Ends the copies under way, and those that begin later, at their next piece.
    func endCopies() { copiesHaveEnded.store(true, ordering: .relaxed) }

    /// Marks a pending blob as committed.
    public func keep(_ name: String) {
        pending.withLock { _ = $0.remove(name) }
    }

    /// Removes a blob whose metadata were not committed or were deleted. If this fails, the blob becomes an orphan.
    ///
    /// The disk has its bytes until its last reader has ended. If readers hold more than `removedBytesMax` so, those of the blobs
    /// that were removed first are revoked.
    ///
    /// - Parameter byteCount: The bytes of the blob.
    public func remove(_ name: String, byteCount: Int = 0) {
        try? calls.remove(path(of: name))
        pending.withLock { _ = $0.remove(name) }
        let revoked = readers.withLock { $0.remove(name, byteCount: byteCount, heldBytesMax: removedBytesMax) }
        for access in revoked { access.revoke() }
    }

    /// Removes a blob to which committed metadata referred until now. While a backup is made its file is kept, until
    /// `removeKept`.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes of the blob.
    ///   - whenUnlinked: Called when the file has no name any more, which may be now.
    func retire(_ name: String, byteCount: Int, whenUnlinked: @escaping @Sendable () -> Void) {
        let isKept =
            keepsRemoved
            && kept.withLock { kept in
                guard kept.count < Self.keptMax else { return false }
                kept.append(KeptBlob(name: name, byteCount: byteCount, whenUnlinked: whenUnlinked))
                return true
            }
        guard !isKept else { return }
        remove(name, byteCount: byteCount)
        whenUnlinked()
    }

    /// Removes the files that were kept for backups which have ended. To be called once a minute.
    func removeKept() {
        guard kept.withLock({ !$0.isEmpty }), !keepsRemoved else { return }
        let blobs = kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
        for blob in blobs {
            remove(blob.name, byteCount: blob.byteCount)
            blob.whenUnlinked()
        }
    }

    /// Whether files of removed blobs are kept: while a backup is made, unless the disk is short of room.
    private var keepsRemoved: Bool { hasRoom(for: 0) && BackupLease.isHeld(in: folder.path) }
}

// MARK: - Reading

extension BlobStore {
    /// Opens a blob for reading. It throws `missing` if it was removed, as happens when an object is replaced after its
    /// metadata were read.
    public func open(_ name: String) throws(BlobError) -> OpenBlob {
        // Before it is opened: a removal counts the readers after it has unlinked the file.
        let access = readers.withLock { $0.begin(name) }
        do throws(FileError) {
            return OpenBlob(descriptor: try calls.open(path(of: name)), calls: calls, access: access) { [self] in
                readers.withLock { $0.end(name) }
            }
        } catch {
            readers.withLock { $0.end(name) }
            throw BlobError(error)
        }
    }

    /// Reads all of a small blob at once. A removal meanwhile does not wait for it, as it does for an open one.
    ///
    /// - Returns: nil if it cannot be opened, or has another number of bytes.
    func contents(of name: String, byteCount: Int) -> [UInt8]? {
        guard let descriptor = try? calls.open(path(of: name)) else { return nil }
        defer { calls.close(descriptor) }
        guard let bytes = try? calls.read(descriptor, 0, byteCount), bytes.count == byteCount else { return nil }
        return bytes
    }

    /// Removes blobs that are neither pending nor referenced by metadata. May run concurrently with requests.
    ///
    /// - Parameter isReferenced: Whether committed metadata refer to each of the names.
    /// - Returns: The number of removed blobs.
    func collectOrphans(
        isReferenced: ([String]) async throws(S3Error) -> [Bool]
    ) async throws(S3Error) -> Int {
        var count = 0
        for shard in BlobFolder.shards {
            let names = try S3Error.of { () throws(BlobError) in try folder.names(inShard: shard) }
            // Skip pending blobs before looking up metadata: a blob that is no longer pending has been committed by
            // then.
            let candidates = pending.withLock { pending in names.filter { !pending.contains($0) } }
            var rest = candidates[...]
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Self.lookupsMax))
                rest = rest.dropFirst(batch.count)
                for (name, isReferenced) in zip(batch, try await isReferenced(batch)) where !isReferenced {
                    retire(name, byteCount: 0) {}
                    count += 1
                }
            }
        }
        return count
    }

    /// Names that are looked up at a time.
    private static let lookupsMax = 500
}
