@testable import UserPools

/// An error as a text that tests compare.
struct CognitoErrorBox: Error, Equatable, CustomStringConvertible {
    let description: String
    init(_ error: CognitoError) { description = "\(error.name): \(error.message ?? "")" }
}

extension PoolStage {
    /// The moment as a client signs it.
    var timestamp: String { SRPTimestamp.text(time.seconds) }
}
