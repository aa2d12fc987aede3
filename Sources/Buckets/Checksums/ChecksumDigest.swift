import CZlib
import Crypto

/// An incremental checksum.
struct ChecksumDigest {
    private enum State {
        case crc32(UInt32)
        case crc32c(UInt32)
        case crc64nvme(UInt64)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
    }

    let algorithm: ChecksumAlgorithm
    private var state: State

    init(_ algorithm: ChecksumAlgorithm) {
        self.algorithm = algorithm
        state =
            switch algorithm {
            case .crc32: .crc32(0)
            case .crc32c: .crc32c(0)
            case .crc64nvme: .crc64nvme(0)
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            }
    }

    /// Adds bytes.
    ///
    /// Memory safety: the bytes are borrowed for the call, with their own count.
    mutating func update(_ bytes: [UInt8]) {
        switch state {
        case .crc32(let value):
            let next = unsafe bytes.withUnsafeBufferPointer {
                unsafe crc32_z(UInt(value), $0.baseAddress, $0.count)
            }
            // An empty buffer may have no address, and zlib returns the initial value for a null pointer.
            if !bytes.isEmpty { state = .crc32(UInt32(truncatingIfNeeded: next)) }
        case .crc32c(let value): state = .crc32c(CRC32C.update(value, bytes))
        case .crc64nvme(let value): state = .crc64nvme(CRC64NVME.update(value, bytes))
        case .sha1(var hash):
            state = .crc32(0)  // Releases the stored hash, so that it is updated in place.
            hash.update(data: bytes)
            state = .sha1(hash)
        case .sha256(var hash):
            state = .crc32(0)
            hash.update(data: bytes)
            state = .sha256(hash)
        }
    }

    /// The big-endian digest of the bytes so far.
    var value: [UInt8] {
        switch state {
        case .crc32(let value), .crc32c(let value): Self.bytes(UInt64(value) << 32, 4)
        case .crc64nvme(let value): Self.bytes(value, 8)
        case .sha1(let hash): Array(hash.finalize())
        case .sha256(let hash): Array(hash.finalize())
        }
    }

    private static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }
}
