import Tables
import Testing

@testable import API

/// Runs each test of a suite twice, once with either executor: over rows that are read while they are completed, and over
/// rows that were gathered before. `Service` asks which one it is to have.
struct BothExecutors: SuiteTrait, TestTrait, TestScoping {
    /// Whether services that are made now gather.
    @TaskLocal static var gathers = false

    /// What a loop reads by, for the executor that is tested.
    static func reads(of store: SQLiteStore, on executor: any Tables.Executor) throws -> Reads {
        let reader = try store.makeReader()
        return gathers ? .batched(SQLiteBatchReader(reader, on: executor)) : .live(reader)
    }

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> BothExecutors? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for gathers in [false, true] {
            try await Self.$gathers.withValue(gathers) { try await function() }
        }
    }
}

extension Trait where Self == BothExecutors {
    /// Each test runs over live rows, and again over gathered ones.
    static var bothExecutors: Self { BothExecutors() }
}

extension LoopContext {
    /// The connection that rows are read by while they are completed; nil where they are gathered.
    var liveReader: Reader? {
        if case .live(let reader) = reads { reader } else { nil }
    }
}
