import Tables
import API
import Analytics
import Buckets
import HTTP
import UserPools

/// One bound as a row of the table: its key, what it bounds, what it may be.
public struct Limit: Sendable {
    /// The key under `limits`.
    public let key: String
    /// What it bounds, in one sentence.
    public let summary: String
    /// The values it may have.
    public let range: ClosedRange<Int>
    /// Where it is kept.
    public let path: any WritableKeyPath<Limits, Int> & Sendable

    private init(
        _ key: String, _ path: any WritableKeyPath<Limits, Int> & Sendable, from least: Int = 1,
        to most: Int = Most.count, _ summary: String
    ) {
        self.key = key
        self.path = path
        self.summary = summary
        range = least...most
    }

    /// The greatest values by unit: more than any server needs, and so few that their sums and products, and seconds in
    /// nanoseconds, have 64 bits.
    private enum Most {
        /// Items, requests, pages and the like: 2³¹ − 1.
        static let count = Int(Int32.max)
        /// Bytes that are kept in many parts, or on disk: 1 TiB.
        static let bytes = 1 << 40
        /// Bytes of one message, document or answer, which are one block of memory: 1 GiB.
        static let blockBytes = 1 << 30
        /// A year.
        static let seconds = 31_536_000
        /// Levels of `variables`, which are read on an event loop's own stack (8 MiB on Linux and 512 KiB on macOS), and of
        /// documents, whose deeper levels are read on a `LargeStack`.
        static let levels = 200
    }

    /// The default.
    public var defaultValue: Int { Limits()[keyPath: path] }

    /// Every bound that can be set.
    public static let all: [Limit] =
        server + http + webSocket + realtime + api + functions + userPools + analytics + storage + store

    private static let storage = [
        Limit("storageRequestsMax", \.storageRequestsMax, to: 65_536, "Requests to buckets under way."),
        Limit(
            "storageUploadsMax", \.storageUploadsMax, to: 65_536,
            "Requests to buckets whose bodies are being received; while they wait for bytes they are not counted as under way."
        ),
        Limit(
            "storageBytesMax", \.buckets.storedBytesMax, from: 0, to: Most.bytes,
            "Bytes of all objects and parts together, with their metadata."
        ),
        Limit(
            "storageFreeBytesMin", \.buckets.freeBytesMin, from: 0, to: Most.bytes,
            "Free bytes of the disk below which nothing is uploaded to buckets, or a tenth of the disk if that is less."
        ),
        Limit(
            "storageRemovedBytesMax", \.buckets.removedBytesMax, from: 0, to: Most.bytes,
            "Bytes of replaced and deleted versions of objects whose downloads go on; beyond it the downloads of the versions that were removed first are cut off."
        ),
        Limit(
            "storageObjectsMax", \.buckets.objectsMax, from: 0, to: 1_000_000_000, "Objects of all buckets together."),
        Limit("objectBytesMax", \.buckets.objectBytesMax, from: 0, to: Most.bytes, "Bytes of one object."),
        Limit(
            "objectBodyBytesMax", \.buckets.bodyBytesMax, from: 0, to: Most.bytes,
            "S3's: bytes of one body, an object or a part."),
        Limit("partsPerUploadMax", \.buckets.partsMax, to: 10_000, "S3's: parts of a multipart upload."),
        Limit("uploadsPerBucketMax", \.buckets.uploadsMax, "Multipart uploads in progress in one bucket."),
        Limit(
            "uploadsPerCallerMax", \.buckets.uploadsPerCallerMax,
            "Of these, uploads that one caller other than an operator has begun."),
        // From what the largest body of a completion takes of the half that one network may use.
        Limit(
            "storageDocumentsBytesMax", \.buckets.documentsBytesMax, from: 32 << 20, to: Most.bytes,
            "Bytes of memory of all request bodies in XML under way; half of them for one network."),
        Limit(
            "storageCacheBytesMax", \.buckets.objectCacheBytesMax, from: 0, to: Most.bytes,
            "Bytes of memory of the metadata of objects that were read recently."),
        Limit("createdBucketsMax", \.buckets.bucketsMax, from: 0, to: 10_000, "Buckets that CreateBucket has made."),
        Limit(
            "abandonedUploadDays", \.buckets.abandonedUploadDays, to: 3_650,
            "Days after which a multipart upload that was not completed is removed."),
        Limit(
            "objectEventsMax", \.buckets.eventsMax, from: 0,
            "Object events that wait for their function; past it, the oldest of the function with the most are given up."
        ),
    ]

    private static let userPools = [
        Limit("userPoolsMax", \.userPools.poolsMax, to: 10_000, "User pools, and identity pools."),
        Limit("clientsPerUserPoolMax", \.userPools.clientsPerPoolMax, "Clients of a user pool."),
        Limit("groupsPerUserPoolMax", \.userPools.groupsPerPoolMax, "Groups of a user pool."),
        Limit("usersPerUserPoolMax", \.userPools.usersPerPoolMax, to: 1_000_000_000, "Users of a user pool."),
        Limit("groupsPerUserMax", \.userPools.groupsPerUserMax, to: 10_000, "Groups of a user."),
        Limit(
            "sessionsPerUserMax", \.userPools.sessionsPerUserMax, to: 10_000,
            "Sessions of a user; the oldest ends when one more begins."),
        Limit("devicesPerUserMax", \.userPools.devicesPerUserMax, to: 10_000, "Remembered devices of a user."),
        Limit(
            "signUpsPerAddressPerHour", \.userPools.signUpsPerAddressPerHour,
            "Sign-ups from a network address, with names that are taken, too."),
        Limit(
            "authorizationCodesPerUserPerHour", \.userPools.authorizationCodesPerUserPerHour,
            "Authorization codes of the hosted pages that a user is given, and tokens without one (`response_type=token`)."
        ),
        Limit(
            "guestsPerAddressPerHour", \.userPools.guestsPerAddressPerHour,
            "Guests of identity pools that a network address makes."),
        Limit(
            "messagesPerAddressPerHour", \.userPools.messagesPerAddressPerHour,
            "Messages with codes that a network address causes."),
        Limit(
            "messagesPerRecipientPerHour", \.userPools.messagesPerRecipientPerHour,
            "Messages with codes to a mail address, in any letter case, or telephone number in a pool, those to users who have "
                + "not verified it and those of second factors counted apart; and codes that are requested for a user or a "
                + "name."),
        Limit(
            "signInFailuresPerAddressPerHour", \.userPools.failuresPerAddressPerHour,
            "Wrong passwords and codes from a network address."),
        Limit("outboxMessagesMax", \.userPools.outboxMessagesMax, "Messages that the outbox keeps."),
        Limit(
            "attributeBytesPerUserMax", \.userPools.attributeBytesPerUserMax, from: 2_048, to: 1 << 19,
            "Bytes of the attributes of a user, names included: an id token has all of them."),
        Limit(
            "unusedGuestDays", \.userPools.unusedGuestDays, from: 0, to: 36_500,
            "Days after which guests of identity pools who got no credentials and no token are removed; 0: never."),
        Limit(
            "unconfirmedUserDays", \.userPools.unconfirmedUserDays, to: 3_650,
            "Days after which users who have not confirmed their sign-up are removed."),
        Limit(
            "userPoolOperationsMax", \.userPools.operationsMax,
            "Operations of user pools under way at one time; of one network address half of what others leave."),
        Limit(
            "seenTokensMax", \.userPools.seenTokensMax,
            "Verified tokens that are cached: those of user pools, those of other issuers, and answers of a Lambda authorizer."
        ),
    ]

    private static let analytics = [
        Limit("analyticsAppsMax", \.analytics.appsMax, to: 10_000, "Apps whose events are taken."),
        Limit(
            "eventTypesPerAppMax", \.analytics.eventTypesPerAppMax, to: 100_000,
            "Event types of an app; further types are counted as one."),
        Limit(
            "endpointsPerAppMax", \.analytics.endpointsPerAppMax, to: 1_000_000_000,
            "Endpoints of an app; beyond it the least recently used are removed."),
        Limit(
            "usersPerAppMax", \.analytics.usersPerAppMax, to: 1_000_000_000,
            "Users of an app; further users are counted as one."),
        Limit(
            "analyticsOperationsMax", \.analytics.operationsMax,
            "Operations of analytics under way or waiting at one time; of one network address half as many."),
        Limit(
            "analyticsOperationsAtOnceMax", \.analytics.operationsAtOnceMax, from: 2, to: 65_536,
            "Of these, operations that are carried out at one time, half of them for one network address; the next one is of the address with the fewest."
        ),
    ]

    private static let server = [
        Limit("eventLoopCount", \.eventLoopCount, from: 0, to: 1024, "Event loops; 0 makes one per usable core."),
        Limit("drainSeconds", \.drainSeconds, from: 0, to: 3600, "Time for requests under way when the server ends."),
        Limit(
            "tombstoneSeconds", \.tombstoneSeconds, from: 60, to: 3_153_600_000,
            "How long a deleted item of a model with versions is kept, so that devices receive the deletion."),
        Limit(
            "operationNameCountMax", \.operationNameCountMax, from: 0, to: 10_000,
            "Names of operations that `/metrics` counts apart; the others are `other`."),
        Limit(
            "failureLinesPerSecondMax", \.failureLinesPerSecondMax, from: 0, to: 1_000_000,
            "Lines a second that `serve` logs about slow requests, about 5xx, about other failures, and about each kind of failure of triggers and identity providers."
        ),
        Limit("probeSeconds", \.probeSeconds, to: 60, "Time for the query and the write that `/ready` probes with."),
        Limit(
            "probeIntervalMilliseconds", \.probeIntervalMilliseconds, from: 0, to: 60_000,
            "How long the outcome of such a probe is kept."),
    ]

    private static let http = [
        Limit(
            "requestHeadBytesMax", \.http.requestHeadBytesMax, from: 256, to: 16_777_216,
            "Bytes of a request line and its headers."),
        Limit("headerCountMax", \.http.headerCountMax, to: 50_000, "Header lines of a request."),
        Limit("targetBytesMax", \.http.targetBytesMax, to: 16_777_216, "Bytes of a request's path and query."),
        Limit("bodyBytesMax", \.http.bodyBytesMax, to: Most.blockBytes, "Bytes of a request's body, unpacked."),
        Limit("chunkCountMax", \.http.chunkCountMax, to: 16_777_216, "Chunks of a chunked body."),
        Limit("chunkLineBytesMax", \.http.chunkLineBytesMax, from: 18, to: 65_536, "Bytes of a chunk's size line."),
        Limit(
            "trailerBytesMax", \.http.trailerBytesMax, from: 2, to: 16_777_216, "Bytes of a chunked body's trailers."),
        Limit("connectionsMax", \.http.connectionsMax, to: 10_000_000, "Connections at one time."),
        Limit(
            "requestsPerConnectionMax", \.http.requestsPerConnectionMax, from: 0, "Requests of a connection; 0: any."),
        Limit(
            "pipelinedRequestsMax", \.http.pipelinedRequestsMax, to: 65_536,
            "Requests of a connection that wait for answers."),
        Limit(
            "outgoingBytesMax", \.http.outgoingBytesMax, from: 65536, to: Most.blockBytes,
            "Bytes of waiting answers at which no further request of a connection is read; answers to requests already read come on top."
        ),
        Limit(
            "outgoingBytesPerServerMax", \.http.outgoingBytesPerServerMax, from: 65_536, to: Most.bytes,
            "Bytes that wait for the clients of all connections; past it, those that take nothing for longest are closed."
        ),
        Limit(
            "incomingBytesPerServerMax", \.http.incomingBytesPerServerMax, from: 65_536, to: Most.bytes,
            "Bytes of unfinished requests and messages of all connections; past it, the oldest are refused."),
        Limit("idleSeconds", \.http.idleSeconds, to: 86_400, "How long a connection may be silent."),
        Limit("handshakeSeconds", \.http.handshakeSeconds, to: 86_400, "Time for a TLS handshake."),
        Limit("headSeconds", \.http.headSeconds, to: 86_400, "Time for a request's headers to arrive."),
        Limit("bodySeconds", \.http.bodySeconds, to: 86_400, "Time for a request's body to arrive."),
        Limit(
            "bodyBytesPerSecondMin", \.http.bodyBytesPerSecondMin, from: 0, to: Most.blockBytes,
            "Least rate of the body of an upload to a bucket or of analytics; 0: any."),
        Limit(
            "bodyGraceSeconds", \.http.bodyGraceSeconds, to: 86_400,
            "Seconds by which such a body may be late at that rate."),
        Limit(
            "answerBytesPerSecondMin", \.http.answerBytesPerSecondMin, from: 0, to: Most.blockBytes,
            "Least rate at which a client takes its answers before its connection is closed; 0: any."),
        Limit(
            "answerGraceSeconds", \.http.answerGraceSeconds, to: 86_400,
            "Seconds by which a client may be late at that rate."),
        Limit(
            "lingerSeconds", \.http.lingerSeconds, from: 0, to: 3600,
            "Time for a client to read an answer sent before its request ended."),
        Limit(
            "lingerBytesMax", \.http.lingerBytesMax, from: 0, to: Most.blockBytes,
            "Bytes that such a client may still send."),
        Limit(
            "compressionBytesMin", \.http.compressionBytesMin, from: 64, to: Most.blockBytes,
            "Bytes from which an answer is compressed."),
        Limit(
            "compressionLoopBytesMax", \.http.compressionLoopBytesMax, from: 0, to: Most.blockBytes,
            "Bytes up to which an answer is compressed on its event loop; a larger one on a thread for it."),
        Limit(
            "compressionQueueBytesMax", \.http.compressionQueueBytesMax, from: 0, to: Most.bytes,
            "Bytes of such larger answers at one time; past it, answers leave uncompressed."),
    ]

    private static let webSocket = [
        Limit(
            "webSocketMessageBytesMax", \.webSocket.messageBytesMax, from: 125, to: Most.blockBytes,
            "Bytes of a WebSocket message."),
        Limit(
            "webSocketFragmentCountMax", \.webSocket.fragmentCountMax, to: 16_777_216,
            "Fragments of a WebSocket message."),
        Limit(
            "webSocketOutgoingBytesMax", \.webSocket.outgoingBytesMax, from: 4096, to: Most.blockBytes,
            "Bytes of messages that wait for a slow reader before it is closed."),
        Limit(
            "webSocketPingSeconds", \.webSocket.pingSeconds, to: 86_400,
            "Silence of a client before a ping; twice that ends it."),
        Limit(
            "webSocketCloseSeconds", \.webSocket.closeSeconds, from: 0, to: 3600,
            "Time for a client to answer a close frame."),
    ]

    private static let realtime = [
        Limit(
            "subscriptionsPerConnectionMax", \.realtime.subscriptionsPerConnectionMax,
            "AppSync's: subscriptions of a WebSocket."),
        Limit(
            "subscriptionPayloadBytesMax", \.realtime.subscriptionPayloadBytesMax, to: Most.blockBytes,
            "AppSync's: bytes of an event; a larger one is not sent."),
        Limit(
            "startBytesMax", \.realtime.startBytesMax, to: Most.blockBytes,
            "Bytes of a message that starts a subscription."),
        Limit(
            "operationIDBytesMax", \.realtime.operationIDBytesMax, to: Most.blockBytes,
            "Bytes of a subscription's `id`."),
        Limit(
            "authorizationBytesMax", \.realtime.authorizationBytesMax, to: Most.blockBytes,
            "Bytes of the authorization of a WebSocket or of an operation on it, as base64 or JSON."),
        Limit("connectionSeconds", \.realtime.connectionSeconds, to: Most.seconds, "AppSync's: a WebSocket's life."),
        Limit(
            "connectionInitSeconds", \.realtime.connectionInitSeconds, to: 3600, "Time for `connection_init` to arrive."
        ),
        Limit("keepAliveSeconds", \.realtime.keepAliveSeconds, to: 240, "AppSync's: time from one `ka` to the next."),
        Limit(
            "waitingMessagesMax", \.realtime.waitingMessagesMax,
            "Messages that wait until a WebSocket is authorized."),
        Limit("waitingBytesMax", \.realtime.waitingBytesMax, to: Most.blockBytes, "Bytes of such messages."),
        Limit(
            "waitingBytesTotalMax", \.realtime.waitingBytesTotalMax, to: Most.bytes,
            "Bytes of requests and messages of WebSockets that wait until their caller is authenticated; of one network half."
        ),
    ]

    private static let api = [
        Limit("pageItemsMax", \.api.pageItemsMax, "Items of a page; a larger `limit` is served as this."),
        Limit("pageItemsDefault", \.api.pageItemsDefault, "Items of a page without a `limit`."),
        Limit("syncItemsMax", \.api.syncItemsMax, "AppSync's: items of a page of a sync."),
        Limit(
            "readStepsMax", \.api.readStepsMax,
            "Steps of SQLite that a read may take on its event loop; 16 bytes searched or answered count as one."),
        Limit(
            "readMillisecondsMax", \.api.readMillisecondsMax, to: 3_600_000,
            "Milliseconds of its event loop's time that a read may take there."),
        Limit("executionSeconds", \.api.executionSeconds, to: Most.seconds, "Time for a request to be executed."),
        Limit("planCacheCountMax", \.api.planCacheCountMax, "Plans that are kept for repeated documents."),
        Limit(
            "planCacheBytesMax", \.api.planCacheBytesMax, to: Most.bytes, "Bytes of the documents whose plans are kept."
        ),
        Limit(
            "planBytesMax", \.api.planBytesMax, from: 1 << 20, to: Most.bytes,
            "Bytes of memory of all plans, those of open subscriptions included."),
        Limit(
            "fetchCacheCountMax", \.api.fetchCacheCountMax, from: 0,
            "Ways to read a table that plans have in common; 0 keeps none."),
        Limit(
            "rowCacheBytesMax", \.api.rowCacheBytesMax, from: 0, to: Most.blockBytes,
            "Bytes of items kept as answers have shown them, per event loop; 0 keeps none."),
        Limit("documentTokensMax", \.api.documentTokensMax, "Tokens of an operation document."),
        Limit(
            "documentDepthMax", \.api.documentDepthMax, to: Most.levels, "Levels of an operation document as written."),
        Limit("documentFieldsMax", \.api.documentFieldsMax, "Fields of an operation document."),
        Limit("documentAliasesMax", \.api.documentAliasesMax, "Aliases of an operation document."),
        Limit("documentDirectivesMax", \.api.documentDirectivesMax, "Directives of an operation document."),
        Limit("documentFragmentsMax", \.api.documentFragmentsMax, "Fragments of an operation document."),
        Limit(
            "operationDepthMax", \.api.operationDepthMax, from: 16, to: 500,
            "Levels of an operation once its fragments are spread."),
        Limit(
            "operationFieldsMax", \.api.operationFieldsMax, from: 100, to: 1_000_000,
            "Fields of an operation once its fragments are spread."),
        Limit(
            "queryDepthLimit", \.api.queryDepthLimit, from: 0, to: 75, "AppSync's: levels of nested fields; 0: any."),
        Limit(
            "resolverCountLimit", \.api.resolverCountLimit, from: 0, to: 10_000,
            "AppSync's: resolvers of a request; 0: 10,000."),
        Limit("variablesDepthMax", \.api.variablesDepthMax, to: Most.levels, "Levels of `variables`."),
        Limit("responseBytesMax", \.api.responseBytesMax, to: Most.blockBytes, "Bytes of a response body."),
        Limit("filterTermsMax", \.api.filterTermsMax, "Terms of a filter or condition."),
        Limit(
            "filterOperandBytesMax", \.api.filterOperandBytesMax, to: Most.blockBytes,
            "Bytes of an operand of a filter or condition."),
        Limit("workerQueueCountMax", \.api.workerQueueCountMax, "Requests that wait for a worker."),
        Limit(
            "longReadsMax", \.api.longReadsMax, to: 1_024,
            "Long reads open at one time. As many of medium length (under 1 s of work) and twice as many short ones (under 0.1 s) may be open besides; each has a thread and a connection (`pageCacheBytes`)."
        ),
        Limit("readTurnSteps", \.api.readTurnSteps, "Steps of a long read before another one has its turn."),
        Limit("subscriptionsPerServerMax", \.api.subscriptionsPerServerMax, "Subscriptions at one time."),
        Limit(
            "subscriberBytesMax", \.api.subscriberBytesMax, from: 1 << 20, to: Most.bytes,
            "Bytes of memory of the callers of subscriptions (tokens and groups) and of the filters."),
        Limit("pendingEventCountMax", \.api.pendingEventCountMax, "Events whose mutations are being answered."),
        Limit("eventInboxCountMax", \.api.eventInboxCountMax, "Events that wait for an event loop."),
        Limit(
            "eventInboxBytesMax", \.api.eventInboxBytesMax, to: Most.bytes,
            "Bytes of the events that wait for an event loop."),
        Limit(
            "eventStepBytesMax", \.api.eventStepBytesMax, to: Most.blockBytes,
            "Bytes of events that an event loop looks at or sends before requests have a turn."),
        Limit(
            "replaySeconds", \.api.replaySeconds, to: 86_400,
            "How long events of models with versions are kept for subscriptions that come back."),
        Limit("replayBytesMax", \.api.replayBytesMax, from: 0, to: Most.bytes, "Bytes of such events."),
        Limit(
            "replaySubscriptionsMax", \.api.replaySubscriptionsMax, from: 0,
            "Closed subscriptions that may be resumed."),
    ]

    private static let functions = [
        Limit("functionCallSeconds", \.functions.callSeconds, to: 3600, "Time for a function to answer."),
        Limit(
            "functionCallsMax", \.functions.callsMax, to: 65_536,
            "Calls of functions at one time, of fields, of conflicts and of triggers each; to one URL three quarters of them."
        ),
        Limit(
            "functionCallsPerRequestMax", \.api.functionCallsPerRequestMax, to: 65_536,
            "Calls of functions of one request at one time; the others wait."),
        Limit(
            "functionQueueCountMax", \.functions.queueCountMax, from: 0,
            "Calls of fields' functions that wait, to one URL three quarters of them; one more is an error of its field."
        ),
        Limit(
            "functionQueueBytesMax", \.functions.queueBytesMax, from: 0, to: Most.bytes,
            "Bytes of the events of those that wait."),
        Limit(
            "functionAnswerBytesMax", \.functions.answerBytesMax, to: Most.blockBytes, "Bytes of a function's answer."),
    ]

    private static let store = [
        Limit("writeQueueCountMax", \.store.writeQueueCountMax, "Writes that wait for the writer."),
        Limit(
            "writeQueueBytesMax", \.store.writeQueueBytesMax, from: 65_536, to: Most.bytes,
            "Bytes of the writes that wait for the writer."),
        Limit("batchCountMax", \.store.batchCountMax, "Writes of one commit."),
        Limit("batchBytesMax", \.store.batchBytesMax, to: Most.bytes, "Bytes of the writes of one commit."),
        Limit(
            "itemBytesMax", \.store.itemBytesMax, from: 1_024, to: Most.blockBytes,
            "DynamoDB's: bytes of an item that is written, counted as DynamoDB counts them."),
        Limit(
            "conditionBytesMax", \.store.conditionBytesMax, to: Most.blockBytes,
            "Bytes of an item that the condition of a mutation may look at."),
        Limit("statementsPerConnectionMax", \.store.statementsPerConnectionMax, "Prepared statements of a connection."),
        Limit("checkpointPages", \.store.checkpointPages, "Pages of the log after which it is written back."),
        Limit("logPagesMax", \.store.logPagesMax, "Pages of the log at which writes wait until it was emptied."),
        Limit(
            "mmapBytes", \.store.mmapBytes, from: 0, to: Most.bytes,
            "Bytes of the database that are mapped into memory."),
        Limit("pageCacheBytes", \.store.pageCacheBytes, to: Most.bytes, "Bytes of each connection's page cache."),
        Limit("stepsPerLook", \.stepsPerLook, from: 1, to: 1_000_000, "Steps of SQLite between two looks at the time."),
        Limit(
            "busyMilliseconds", \.busyMilliseconds, from: 0, to: 3_600_000, "How long a connection waits for a lock."),
    ]
}
