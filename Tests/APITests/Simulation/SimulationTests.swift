import Foundation
import Tables
import Testing

/// Simulated devices under each strategy. `SYNCLINE_SIMULATION_RUNS` asks for more runs of each, and
/// `SYNCLINE_SIMULATION_SEED` plays one seed again, or so many from that one on.
@Suite("Devices that go on and off line", .bothExecutors) struct SimulationTests {
    static let seed = ProcessInfo.processInfo.environment["SYNCLINE_SIMULATION_SEED"].flatMap { UInt64($0) }
    static let runCount =
        ProcessInfo.processInfo.environment["SYNCLINE_SIMULATION_RUNS"].flatMap { Int($0) } ?? (seed == nil ? 40 : 1)

    @Test("in the end all devices and the server agree", arguments: ConflictHandler.allCases)
    func agreement(handler: ConflictHandler) throws {
        let first = Self.seed ?? .random(in: .min ... .max)
        var counts = Simulation.Counts()
        for run in 0..<Self.runCount {
            let seed = first &+ UInt64(run)
            do {
                let simulation = try Simulation(handler, seed: seed)
                try simulation.run()
                counts += simulation.counts
            } catch {
                Issue.record("\(handler), SYNCLINE_SIMULATION_SEED=\(seed): \(error)")
                return
            }
        }
        guard Self.runCount >= 40 else { return }
        // The schedules did meet what they are about.
        let runs = Self.runCount
        #expect(counts.mutations > 5 * runs && counts.events > 5 * runs && counts.cuts > runs, "\(counts)")
        #expect(counts.baseSyncs > runs && counts.deltaSyncs > runs && counts.lostReplies > runs / 10, "\(counts)")
        #expect(counts.comebacks > runs / 20 && counts.restores > runs / 20, "\(counts)")
        if handler == .optimisticConcurrency { #expect(counts.conflicts > runs / 2, "\(counts)") }
    }
}
