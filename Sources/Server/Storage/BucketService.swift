import AWSSignature
import Buckets
import HTTP
import Synchronization
import Tables
import UserPools

/// The buckets of a running server: their metadata, their blobs, and the threads on which their operations run. An event loop
/// verifies signatures and answers reads of objects; everything else is done on these threads.
final class BucketService: Sendable {
    let buckets: Buckets
    /// The most bytes of a body as it is sent; chunks and their signatures are longer than what they carry.
    let bodyBytesMax: Int
    /// How long a body in XML may take to arrive.
    let documentSecondsMax: Int
    private let userPools: UserPoolService?
    /// One thread, on which metadata are read and the store's answers come back.
    private let records: SerialExecutor
    /// One thread, on which lists are read.
    private let lists: SerialExecutor
    private let executor: OperationExecutor
    /// Copies of bytes, in pieces.
    private let copies: OperationExecutor
    private let underWay: Mutex<CapacityShares>
    /// Requests whose bodies are received by their operations.
    private let receiving: Mutex<CapacityShares>
    private let clock: WallClock
    private let signingKeys = SigningKeyCache()
    let presignedURLs = PresignedURLs()
    private let calledFunctions = Mutex<[String: Function]>([:])
    /// The rules for calls of functions.
    let outboundRules: ServedOutboundRules
    private let drain = OperationDrain()
    /// Removes what earlier runs have left; nil until the service has started.
    private let collecting = Mutex<Task<Void, Never>?>(nil)
    /// Adds entries to the audit log.
    let addToAudit: @Sendable ([AuditEntry]) throws(StoreError) -> Void

    private init(
        _ buckets: Buckets, _ userPools: UserPoolService?, _ records: SerialExecutor, _ lists: SerialExecutor,
        _ executor: OperationExecutor, _ copies: OperationExecutor, _ limits: Limits, _ clock: WallClock,
        _ outboundRules: ServedOutboundRules,
        addToAudit: @escaping @Sendable ([AuditEntry]) throws(StoreError) -> Void
    ) {
        (self.clock, self.addToAudit, self.outboundRules) = (clock, addToAudit, outboundRules)
        (self.buckets, self.userPools, self.executor) = (buckets, userPools, executor)
        (self.records, self.lists, self.copies) = (records, lists, copies)
        underWay = Mutex(CapacityShares(.requests(countMax: limits.storageRequestsMax)))
        receiving = Mutex(CapacityShares(.requests(countMax: limits.storageUploadsMax)))
        documentSecondsMax = limits.http.bodySeconds
        bodyBytesMax = S3Body.sentBytesMax(of: limits.buckets.bodyBytesMax)
    }

    /// The folder of the blobs in a data folder.
    static let folderName = "objects"

    /// Migrates the tables of buckets in the store, and serves the configured buckets.
    ///
    /// - Parameters:
    ///   - dataFolder: The data folder.
    ///   - userPools: Whose credentials sign requests; nil where there are none.
    ///   - mode: The server's mode; nil for a command that opens the data folder while no server runs.
    static func start(
        _ configuration: Configuration, mode: Service.Mode?, store: any Store, dataFolder: String,
        userPools: UserPoolService?, clock: WallClock, log: Log
    ) async throws(ServerError) -> BucketService {
        // A server has done so before it opened the folder.
        if mode == nil { try AmplifyDataNote.check(configuration) }
        let records = SerialExecutor()
        let lists = SerialExecutor()
        let executor = OperationExecutor(threadCount: max(4, 2 * Cores.usableCount))
        // At a lower priority, and fewer: copies give way to everything else.
        let copies = OperationExecutor(threadCount: max(1, Cores.usableCount / 2))
        copies.beginServing()
        do {
            let tables = try store.carryOutMigration(
                to: BucketTables.all, renaming: [], allowing: .none, keepsIndexes: false
            ).tables
            let blobs = try BlobStore(
                folder: "\(Files.absolute(dataFolder))/\(folderName)",
                freeBytesMin: configuration.limits.buckets.freeBytesMin,
                removedBytesMax: configuration.limits.buckets.removedBytesMax)
            let buckets = try Buckets(
                store: store, tables: tables, executor: records, listExecutor: lists, copyExecutor: copies,
                blobs: blobs, limits: configuration.limits.buckets,
                reservedNames: StorageOptions.reservedNames, clock: clock,
                noteMissingBlob: { bucket, key in
                    log(
                        .error, "The file of an object is missing in the folder \(folderName).",
                        ["bucket": bucket, "key": key])
                },
                noteDroppedEvents: { count in
                    log(
                        .warning, "More object events wait than objectEventsMax: the oldest were dropped.",
                        numbers: ["events": count])
                })
            let service = BucketService(
                buckets, userPools, records, lists, executor, copies, configuration.limits, clock,
                ServedOutboundRules(configuration, mode: mode ?? .serve)
            ) { entries throws(StoreError) in try store.addToAudit(entries) }
            try await service.serve(configuration)
            let collecting = Task(executorPreference: executor) { await service.collect(log) }
            service.collecting.withLock { $0 = collecting }
            return service
        } catch {
            records.end()
            lists.end()
            executor.end()
            copies.end()
            throw ServerError(
                starting: error, .data, "The objects in \(dataFolder)/\(folderName) cannot be served")
        }
    }

    /// Serves what another configuration says.
    func serve(_ configuration: Configuration) async throws(ServerError) {
        let served = BucketConfiguration(
            buckets: configuration.storage.buckets, region: configuration.storage.region ?? configuration.region)
        let error: S3Error? = await withTaskExecutorPreference(executor) { [buckets] in
            do throws(S3Error) { try await buckets.serve(served) } catch { return error }
            return nil
        }
        calledFunctions.withLock { $0 = configuration.functions.byName }
        outboundRules.serve(configuration)
        if let error { throw ServerError(.failed, "Buckets cannot be served: \(error.message)") }
    }

    /// The functions that triggers may call, by their names.
    var functions: [String: Function] { calledFunctions.withLock { $0 } }

    /// The time in milliseconds since 1970.
    var milliseconds: Int64 { clock.milliseconds() }

    /// Removes files and uploads that earlier runs have left.
    private func collect(_ log: Log) async {
        do throws(S3Error) {
            let collection = try await buckets.collect()
            guard collection.orphanCount + collection.abandonedCount > 0 else { return }
            log(
                .info, "Removed files and uploads left by earlier runs.",
                numbers: ["blobs": collection.orphanCount, "uploads": collection.abandonedCount])
        } catch {
            guard !Task.isCancelled else { return }
            log(.warning, "Files and uploads left by earlier runs could not be removed.", ["cause": error.message])
        }
    }

    /// Removes uploads that nobody completed.
    func removeAbandonedUploads() async {
        _ = await perform { buckets in
            do throws(S3Error) { return try await buckets.removeAbandonedUploads() } catch { return 0 }
        }
    }

    /// Runs work with the buckets on their threads.
    func perform<Result: Sendable>(_ work: @Sendable (Buckets) async -> Result) async -> Result {
        await drain.run { await withTaskExecutorPreference(executor) { [buckets] in await work(buckets) } }
    }

    // MARK: Requests

    /// Finds out who makes a request. Used on an event loop: verifying a signature takes about ten microseconds.
    ///
    /// - Returns: The caller, the encoding of the body, and of a presigned URL what its signature has proven.
    func authenticate(
        _ request: S3Request, contentHash: String?
    ) throws(S3Error) -> (BucketCaller, S3Payload, PresignedURLs.Proof?) {
        guard let signature = try S3Signature(request) else {
            return (.anonymous, try S3Payload(contentHash, signature: nil), nil)
        }
        guard let pools = userPools?.pools else { throw .invalidAccessKeyID }
        let signer: Signer
        do throws(Signer.KeyRefusal) {
            signer = try Signer(accessKeyID: signature.accessKeyID, sessionToken: signature.sessionToken, pools)
        } catch {
            throw S3Error(error)
        }
        let payload = try signature.verify(secret: signer.secret, now: pools.nowSeconds, keys: signingKeys)
        let caller = try signer.caller(method: request.method)
        let proof = signature.presignedSeconds.map {
            PresignedURLs.Proof(signer: signer, caller: caller, seconds: $0)
        }
        return (caller, payload, proof)
    }

    /// Finds out who makes a request with a presigned URL that is known.
    ///
    /// - Parameter bucketOfHost: The bucket that the host of the request names now.
    /// - Returns: nil if it is not known, or if it has to be refused; `authenticate` then says why.
    func verified(_ target: PresignedURLs.Target, bucketOfHost: String?) -> PresignedURLs.Verified? {
        guard let pools = userPools?.pools, let known = presignedURLs.verified(target),
            known.proof.seconds.contains(pools.nowSeconds), known.read.bucketOfHost == bucketOfHost
        else { return nil }
        switch known.proof.signer {
        case .accessKey(let key): return pools.accessKey(key.id) == key ? known : nil
        case .temporary(let credentials): return pools.hasEnded(credentials) ? nil : known
        }
    }

    /// Runs an operation on the threads of buckets.
    ///
    /// - Parameters:
    ///   - owner: The caller.
    ///   - receivesBody: Whether the operation receives the body of its request, by `waitForClient`.
    /// - Returns: False if too many are under way, of all or of the caller; it does not run then.
    func run(
        for owner: CapacityShares.Owner, receivesBody: Bool = false,
        _ work: @escaping @Sendable (Buckets) async -> Void
    ) -> Bool {
        guard underWay.withLock({ $0.take(for: owner) }) else { return false }
        guard !receivesBody || receiving.withLock({ $0.take(for: owner) }) else {
            underWay.withLock { $0.release(for: owner) }
            return false
        }
        drain.begin()
        Task(executorPreference: executor) { [self] in
            defer { drain.end() }
            await work(buckets)
            underWay.withLock { $0.release(for: owner) }
            if receivesBody { receiving.withLock { $0.release(for: owner) } }
        }
        return true
    }

    /// Waits for bytes of a client within an operation, which does not count as one under way meanwhile: a slow sender takes
    /// nothing from the requests of others.
    func waitForClient<Part: Sendable>(for owner: CapacityShares.Owner, _ wait: () async -> Part) async -> Part {
        underWay.withLock { $0.release(for: owner) }
        defer { underWay.withLock { $0.add(for: owner) } }
        return await wait()
    }

    /// Waits for the operations under way and ends the threads. The store must be open until then.
    ///
    /// The removal of leftovers of earlier runs is cancelled between two of its reads, and copies are cancelled between two of
    /// their pieces: their clients are disconnected by now.
    func end() async {
        if let collecting = collecting.withLock({ $0 }) {
            collecting.cancel()
            await collecting.value
        }
        buckets.endCopies()
        await drain.wait()
        executor.end()
        copies.end()
        lists.end()
        records.end()
    }
}

extension BucketCaller {
    /// An identity with temporary credentials. The role of a group takes the place of that of those who signed in.
    init(_ identity: TemporaryIdentity) {
        if !identity.isAuthenticated {
            self = .guest(identityID: identity.identityID)
        } else if let group = identity.group {
            self = .group(group, identityID: identity.identityID)
        } else {
            self = .authenticated(identityID: identity.identityID)
        }
    }
}

extension S3Error {
    /// The error for keys that have no owner.
    fileprivate init(_ refusal: Signer.KeyRefusal) {
        self =
            switch refusal {
            case .unknownKey: .invalidAccessKeyID
            case .unknownToken: .invalidToken
            case .ended: .expiredToken
            }
    }
}

extension Signer {
    /// The caller; throws AccessDenied if the signer may not make requests with the method, or none to buckets.
    fileprivate func caller(method: String) throws(S3Error) -> BucketCaller {
        guard maySign(for: "s3") else { throw .accessDenied }
        switch self {
        case .temporary(let credentials): return BucketCaller(credentials.identity)
        case .accessKey(let key):
            guard key.role != .viewer || ["GET", "HEAD"].contains(method) else { throw .accessDenied }
            return .operator(accessKeyID: key.id)
        }
    }
}
