import Tables
import UserPools

extension ServerError {
    /// Why a service that keeps its state in the store cannot start.
    ///
    /// - Parameters:
    ///   - error: What its start threw.
    ///   - code: The code of an error of no other kind.
    ///   - message: What then cannot be done; the error is appended.
    init(starting error: any Error, _ code: Code, _ message: String) {
        switch error {
        case let error as ServerError: self = error
        case let error as StoreError: self.init(migrating: error)
        case let error as KeyStorage.Failure: self.init(.data, error.message)
        default: self.init(code, "\(message): \(error)")
        }
    }
}
