import Encodings
import Synchronization
public import Tables

/// Buckets of objects that S3 clients use: the entry point of this target. `respond` answers a request whose caller the
/// server has authenticated.
///
/// The bytes of an object are a blob, which is written and synchronized before its metadata are committed. A reader
/// sees the old or the new version of an object, never a partial one. Operations compute and block on the disk: call
/// them in tasks on dedicated threads, never on an event loop. The exception is `respondNow`, which serves reads on an
/// event loop.
public final class Buckets: Sendable {
    let metadata: MetadataStore
    let blobs: BlobStore
    let limits: BucketLimits
    /// Names that CreateBucket refuses.
    let reservedNames: Set<String>
    let clock: WallClock
    let randomBytes: @Sendable (Int) -> [UInt8]
    let directory = BucketDirectory()
    let usage: StorageUsage
    let events = EventCounters()
    /// Runs copies of bytes; nil for the executor of the operation.
    private let copyExecutor: (any TaskExecutor)?
    /// Memory of XML bodies under way.
    let documents: DocumentMemory
    /// Called when the file of an object was removed by something else than this process.
    let noteMissingBlob: @Sendable (_ bucket: String, _ key: String) -> Void
    /// Called when object events were dropped that no function has received.
    let noteDroppedEvents: @Sendable (_ count: Int) -> Void

    /// Opens the buckets of a store.
    ///
    /// - Parameters:
    ///   - tables: The stored tables of `BucketTables.all`.
    ///   - executor: One thread, not an event loop's, on which metadata are read.
    ///   - listExecutor: Another one, on which many rows are read, so that lists do not delay other requests; nil for the same.
    ///   - copyExecutor: Runs copies of objects and parts, piece by piece. With few threads of their own, copies of gigabytes
    ///     never hold all threads of small requests while they wait for the disk; nil for the executor of the operation.
    ///   - reservedNames: Names that no bucket can get by CreateBucket, because their paths are others'.
    ///   - randomBytes: A secure source.
    ///   - noteMissingBlob: Called with bucket and key when the file of an object was removed by something else than this
    ///     process. The request is answered InternalError, which clients retry a few times and then report.
    ///   - noteDroppedEvents: Called with the number of object events that were dropped because more than `eventsMax` waited; at most
    ///     once a minute.
    public init(
        store: any Store, tables: [StoredTable], executor: any Executor, listExecutor: (any Executor)? = nil,
        copyExecutor: (any TaskExecutor)? = nil, blobs: BlobStore, limits: BucketLimits = BucketLimits(),
        reservedNames: Set<String> = [], clock: WallClock = .system,
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = BlobStore.systemRandomBytes,
        noteMissingBlob: @escaping @Sendable (_ bucket: String, _ key: String) -> Void = { _, _ in },
        noteDroppedEvents: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) throws(StoreError) {
        metadata = try MetadataStore(
            store, tables: tables, executor: executor, listExecutor: listExecutor ?? executor,
            cacheBytesMax: limits.objectCacheBytesMax)
        (self.blobs, self.limits, self.clock, self.randomBytes) = (blobs, limits, clock, randomBytes)
        self.reservedNames = reservedNames
        (self.noteMissingBlob, self.noteDroppedEvents) = (noteMissingBlob, noteDroppedEvents)
        usage = StorageUsage { blobs.hasRoom(for: $0) }
        self.copyExecutor = copyExecutor
        documents = DocumentMemory(bytesMax: limits.documentsBytesMax)
    }

    var now: Int64 { clock.milliseconds() }

    /// Applies a configuration, at startup and after each change. Buckets created by requests stay. A bucket that was
    /// removed from the configuration keeps its objects, which only operators can access.
    public func serve(_ configuration: BucketConfiguration) async throws(S3Error) {
        for bucket in configuration.buckets {
            let name = bucket.name
            let stored = try await metadata.read { reader throws(S3Error) in
                try reader.record(BucketRecord.self, .text(BucketRecord.all), .text(name))
            }
            if stored == nil { _ = try await commit([.insert(BucketRecord(name: name, created: now))]) }
        }
        let records = try await metadata.read { reader throws(S3Error) in
            var records: [BucketRecord] = []
            try reader.forEach(BucketRecord.self, in: BucketRecord.all) { record throws(S3Error) in
                records.append(record)
                return true
            }
            return records
        }
        directory.set(configuration, records)
    }

    /// Whether the rules of a bucket allow an action. A missing bucket is NoSuchBucket for every caller.
    func allows(
        _ action: AccessAction, on key: String, in bucket: String, for caller: BucketCaller
    ) throws(S3Error) -> Bool {
        let rules = try directory.access(to: bucket)
        return caller.isOperator || rules?.allows(action, on: key, for: caller) ?? false
    }

    /// Commits writes that do not refer to a blob.
    func commit(_ writes: [RecordWrite]) async throws(S3Error) -> Bool {
        do throws(CommitError) {
            return try await metadata.write(writes)
        } catch {
            throw error.s3Error
        }
    }

    /// Stored bytes and objects; complete after `collect` has counted them.
    public var stored: (bytes: Int, objects: Int) { usage.stored }

    /// Whether there is a bucket of this name.
    public func hasBucket(_ name: String) -> Bool { directory.hasBucket(name) }

    /// Runs a copy of bytes on the executor of copies.
    ///
    /// - Parameter missing: The error if a blob is missing.
    func copying<Success>(
        missing: S3Error = .internalError, _ body: () async throws(BlobError) -> Success
    ) async throws(S3Error) -> Success {
        do throws(BlobError) { return try await withTaskExecutorPreference(copyExecutor, operation: body) } catch {
            throw error == .missing ? missing : S3Error(error)
        }
    }

    /// Ends the copies under way with SlowDown, because the server ends.
    public func endCopies() { blobs.endCopies() }

    /// Random bytes in hexadecimal, two lower-case digits each.
    func randomText(_ byteCount: Int) -> String { Hexadecimal.text(of: randomBytes(byteCount)) }
}

// MARK: - Requests

extension Buckets {
    /// Answers a request.
    ///
    /// - Parameters:
    ///   - caller: The authenticated caller.
    ///   - payload: The encoding of the body, from `S3Signature.verify`.
    ///   - body: The body. It is not read if the request is refused before.
    public func respond(
        to routed: RoutedRequest, from caller: BucketCaller, payload: S3Payload = .unsigned, body: S3Body = .empty
    ) async -> S3Response {
        let share = documentShare(of: routed.request, caller)
        return await respond(to: routed, from: caller, payload: payload, body: body, documentShare: share)
    }

    func respond(
        to routed: RoutedRequest, from caller: BucketCaller, payload: S3Payload, body: S3Body,
        documentShare: DocumentShare
    ) async -> S3Response {
        let request = routed.request
        do throws(S3Error) {
            let call = OperationCall(
                self, request, try routed.target.get(), caller, documentShare, payload: payload, body: body)
            return finish(try await call.perform(), request, routed.bucket)
        } catch {
            return finish(Self.response(to: request, error), request, routed.bucket)
        }
    }

    /// The response to a request that the server itself refuses, such as one whose signature does not match.
    public func refuse(_ request: S3Request, _ error: S3Error) -> S3Response {
        finish(Self.response(to: request, error), request, route(request).bucket)
    }

    /// The error for a body that exceeds `bodyBytesMax` by far, by its declared size or by the bytes received.
    public func bodyTooLarge(_ request: S3Request) -> S3Error {
        let size = request.header("x-amz-decoded-content-length") ?? request.header("content-length")
        return .entityTooLarge(size.flatMap { Int($0) }, max: limits.bodyBytesMax)
    }

    /// Adds the headers of every response.
    func finish(_ response: S3Response, _ request: S3Request, _ bucket: String?) -> S3Response {
        var response = response
        response.headers += [("x-amz-request-id", request.id), ("x-amz-id-2", request.id)]
        guard let origin = request.header("origin"), request.method != "OPTIONS", let bucket,
            let rule = (try? directory.bucket(bucket))?.corsRules.first(where: { $0.allows(origin, request.method) })
        else { return response }
        response.headers += rule.headers(for: origin, answering: response.headers.map(\.name))
        return response
    }

    static func response(to request: S3Request, _ error: S3Error) -> S3Response {
        let xml = XMLWriter(root: "Error", hasNamespace: false) { xml in
            xml.add("Code", error.code)
            xml.add("Message", error.message)
            for detail in error.details { xml.add(detail.name, detail.text) }
            xml.add("Resource", request.path)
            xml.add("RequestId", request.id)
            xml.add("HostId", request.id)
        }
        var response = S3Response(xml, error.status)
        response.errorCode = error.code
        if let size = error.unsatisfiedRangeSize { response.headers.append(("Content-Range", "bytes */\(size)")) }
        // RFC 9110 §9.3.2: an answer to HEAD has no body.
        if request.method == "HEAD" { response.body = .head(byteCount: xml.text.utf8.count) }
        return response
    }
}
