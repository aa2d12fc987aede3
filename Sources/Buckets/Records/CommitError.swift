import Tables

/// Why a commit failed.
enum CommitError: Error, Sendable, Hashable {
    /// Nothing was committed; the error is the response.
    case failed(S3Error)
    /// The disk failed, perhaps after the commit. Blobs that the writes reference must not be removed before the next
    /// start.
    case unknown

    init(_ error: StoreError) {
        switch error.code {
        case .busy, .timedOut, .diskFull, .invalidRequest, .closed: self = .failed(S3Error(error))
        default: self = .unknown
        }
    }

    /// Runs work that commits nothing.
    static func failing<Success>(_ body: () throws(S3Error) -> Success) throws(CommitError) -> Success {
        do throws(S3Error) {
            return try body()
        } catch {
            throw .failed(error)
        }
    }

    /// Waits for work that commits nothing.
    static func failing<Success>(_ body: () async throws(S3Error) -> Success) async throws(CommitError) -> Success {
        do throws(S3Error) {
            return try await body()
        } catch {
            throw .failed(error)
        }
    }

    /// The response.
    var s3Error: S3Error {
        switch self {
        case .failed(let error): error
        case .unknown: .internalError
        }
    }
}

extension S3Error {
    init(_ error: StoreError) {
        switch error.code {
        case .busy, .timedOut, .closed: self = .slowDown
        case .diskFull: self = .insufficientStorage
        default: self = .internalError
        }
    }

    /// Runs work with the store whose errors are answered.
    static func of<Success>(_ body: () throws(StoreError) -> Success) throws(S3Error) -> Success {
        do throws(StoreError) {
            return try body()
        } catch {
            throw S3Error(error)
        }
    }
}
