@testable import Server

extension WholePattern: ExpressibleByStringLiteral {
    /// A pattern of a test. One that is none ends the tests.
    public init(stringLiteral text: String) {
        do throws(PatternError) { try self.init(text) } catch { preconditionFailure(error.message) }
    }
}
