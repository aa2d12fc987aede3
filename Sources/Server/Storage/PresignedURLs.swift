import Buckets
import HTTP
import Synchronization
import UserPools

/// A cache of presigned URLs of objects whose signatures were valid: a URL that is fetched again is neither parsed nor hashed again. URLs
/// of other operations are not kept.
///
/// A signature proves that the owner of a secret has signed a method, a host, a path and a query, so the exact bytes of these are the
/// key. The proof holds only for requests without `Authorization` and `x-amz-` headers, and only for URLs that sign no header but
/// `Host`. What it does not prove is checked for each request: whether the URL has expired, whether the access key or the credentials
/// are still accepted, and what their owner may do.
///
/// Bounded in bytes: entries are in two generations, of which the older one is dropped when the newer one is full. Safe to use from
/// any thread.
final class PresignedURLs: Sendable {
    /// What a client sends of a URL, and the method.
    ///
    /// Memory safety: the bytes of a request and of the target are borrowed for the closures only.
    struct Target: Hashable, Sendable {
        private let bytes: [UInt8]

        /// The target of a request; nil if it cannot be that of a known URL.
        init?(_ request: Request, _ fields: ReadFields) {
            guard request.stream == nil, request.method == .get || request.method == .head, !fields.hasSigned,
                fields.hostCount == 1
            else { return nil }
            let bytes = unsafe request.withQuery { query in
                unsafe query.flatMap { query in
                    unsafe request.withPath { path in
                        unsafe request.withHeader("host") { host in
                            unsafe host.flatMap { unsafe Self.bytes(request.method.name, $0, path, query) }
                        }
                    }
                }
            }
            guard let bytes else { return nil }
            self.bytes = bytes
        }

        /// The target of these parts.
        init?(_ method: String, _ host: String, _ path: String, _ query: String) {
            let bytes = Self.bytes(method, host.utf8, path.utf8, query.utf8)
            guard let bytes else { return nil }
            self.bytes = bytes
        }

        private static func bytes<Part: Collection<UInt8>>(
            _ method: String, _ host: Part, _ path: Part, _ query: Part
        ) -> [UInt8]? {
            // The signature of version 4 alone has 64 digits.
            guard query.count > 64 else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(method.utf8.count + host.count + path.count + query.count + 3)
            bytes += method.utf8
            // Neither a path nor a query has a space, so that different parts never make the same bytes.
            bytes.append(UInt8(ascii: " "))
            bytes += host
            bytes.append(UInt8(ascii: " "))
            bytes += path
            bytes.append(UInt8(ascii: " "))
            bytes += query
            return bytes
        }

        var byteCount: Int { bytes.count }

        static func == (one: Target, other: Target) -> Bool { one.bytes == other.bytes }

        /// All at once: an array is hashed byte by byte.
        func hash(into hasher: inout Hasher) { unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
    }

    /// A read of an object that a valid signature has allowed. A class, so that a lookup copies one reference.
    final class Verified: Sendable {
        /// The read without its headers and without the parameters of its signature.
        let read: ObjectRead
        let proof: Proof

        init(read: ObjectRead, proof: Proof) { (self.read, self.proof) = (read, proof) }
    }

    /// What a valid signature has proven.
    struct Proof: Sendable {
        let signer: Signer
        let caller: BucketCaller
        /// When the URL is valid, in seconds since 1970.
        let seconds: ClosedRange<Int64>
    }

    private struct State {
        var newer: [Target: Verified] = [:]
        var older: [Target: Verified] = [:]
        /// The bytes of `newer`.
        var byteCount = 0
    }

    /// Bytes of a generation: some ten thousand URLs.
    private let bytesMax: Int
    private let state = Mutex(State())

    init(bytesMax: Int = 16 << 20) { self.bytesMax = bytesMax }

    /// What is known of a target.
    func verified(_ target: Target) -> Verified? {
        state.withLock { state in
            if let known = state.newer[target] { return known }
            guard let known = state.older[target] else { return nil }
            keep(known, of: target, in: &state)
            return known
        }
    }

    func keep(_ verified: Verified, of target: Target) { state.withLock { keep(verified, of: target, in: &$0) } }

    private func keep(_ verified: Verified, of target: Target, in state: inout State) {
        let byteCount =
            Self.entryBytes + target.byteCount + verified.read.byteCount + verified.proof.signer.byteCount
        guard byteCount <= bytesMax else { return }
        if state.byteCount + byteCount > bytesMax {
            (state.older, state.newer, state.byteCount) = (state.newer, [:], 0)
        }
        if state.newer.updateValue(verified, forKey: target) == nil { state.byteCount += byteCount }
    }

    /// Bytes of an entry without its texts. Half of a dictionary may be empty.
    private static let entryBytes =
        2 * (MemoryLayout<Target>.stride + MemoryLayout<Verified>.stride)
        + MemoryLayout<ObjectRead>.stride + MemoryLayout<Proof>.stride

    /// The number of URLs that are kept.
    var count: Int { state.withLock { $0.newer.count + $0.older.count } }
}

extension Signer {
    /// Approximate bytes of memory of the texts.
    fileprivate var byteCount: Int {
        let texts: [String?] =
            switch self {
            case .accessKey(let key): [key.id, key.secret, key.ownerARN] + (key.services ?? []) + key.resources
            case .temporary(let credentials):
                [
                    credentials.accessKeyID, credentials.secretKey, credentials.sessionToken,
                    credentials.identity.poolID, credentials.identity.identityID, credentials.identity.role,
                    credentials.identity.group, credentials.identity.userPoolID, credentials.identity.sub,
                ]
            }
        return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) + MemoryLayout<String>.stride }
    }
}
