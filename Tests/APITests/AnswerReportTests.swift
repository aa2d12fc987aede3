import Foundation
import GraphQL
import Testing

@testable import API

@Suite("What the log says of an answer", .bothExecutors)
struct AnswerReportTests {
    /// What a refused document's lines cost in seconds of this thread, when its names have this length.
    private func seconds(nameBytes: Int) -> Double {
        let name = String(repeating: "a", count: nameBytes)
        let message =
            "Validation error of type FieldUndefined: Field '\(name)' in type 'Query' is undefined @ '\(name)'"
        var request = GraphQLRequest()
        request.query = Array("query Q { \(name) }".utf8)
        let start = Self.threadSeconds
        let report = AnswerReport([GraphQLError](repeating: GraphQLError(message), count: 100), of: request)
        #expect(report.cause?.hasPrefix("Validation error of type FieldUndefined: Field 'aaa") == true)
        #expect(report.cause?.utf8.count ?? 0 <= 350 && report.cause?.hasSuffix(" (and 99 more)") == true)
        #expect(report.hint == nil && report.operationName == "Q")
        return Self.threadSeconds - start
    }

    private static var threadSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("a name of 1 MB costs the log no more than one of 4 KB")
    func longName() {
        let short = seconds(nameBytes: 4 << 10)
        let long = seconds(nameBytes: 1 << 20)
        // To search all of the message took a hundred times as long.
        #expect(long < 5 * short + 0.02, "\(long) s, \(short) s")
    }

    @Test("an answer without errors has no cause, no hint and no name")
    func success() {
        let report = AnswerReport([GraphQLError]())
        #expect(report.cause == nil && report.hint == nil && report.operationName == nil)
    }
}
