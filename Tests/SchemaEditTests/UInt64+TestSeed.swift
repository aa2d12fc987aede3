import Foundation

extension UInt64 {
    /// The seed of a random test: SYNCLINE_SEED of the environment, to repeat a run, or another one each time.
    static func testSeed(in range: ClosedRange<UInt64>) -> UInt64 {
        ProcessInfo.processInfo.environment["SYNCLINE_SEED"].flatMap { UInt64($0) } ?? .random(in: range)
    }
}
