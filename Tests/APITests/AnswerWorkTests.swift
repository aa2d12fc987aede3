import Foundation
import Synchronization
import Tables
import Testing

@testable import API

/// What the slow-request line of the log is made of.
@Suite("The rows and steps that a request has cost") struct AnswerWorkTests {
    private static let schema = """
        type Node @model { id: ID! name: String parent: Node @connection children: [Node] @connection }
        """
    private static let list = "{ listNodes(limit: 100) { items { id name } } }"

    /// A service over a hundred nodes, all children of the first, that looks at its budget every ten steps.
    private func service(_ change: (inout APILimits) -> Void = { _ in }) throws -> Service {
        let seeding = try Service(Self.schema, home: Service.Home(stepsPerLook: 10))
        let creations = (0..<100).map { #"n\#($0): createNode(input: {id: "\#($0)", nodeChildrenId: "0"}) { id }"# }
        try seeding.seed("mutation { \(creations.joined(separator: " ")) }")
        return try again(seeding, change)
    }

    /// The same data under other limits.
    private func again(_ service: Service, _ change: (inout APILimits) -> Void = { _ in }) throws -> Service {
        var limits = APILimits()
        change(&limits)
        return try Service(Self.schema, options: APIOptions(limits: limits), home: service.home)
    }

    private func work(_ service: Service, _ query: String, failing errorTypes: [String] = []) throws -> AnswerWork {
        let (kind, text) = try service.send(body: Service.body(query, nil))
        #expect(kind.errorTypes == errorTypes, "\(text)")
        return kind.report.work
    }

    @Test("a read that is interrupted on a worker counts what it has read in both attempts")
    func interrupted() throws {
        let service = try service { ($0.longReadsMax, $0.readTurnSteps) = (2, 2_000) }
        let isOver = Atomic(false)
        let longCount = Atomic(0)
        let attemptCount = Atomic(0)
        let interruptionCount = Atomic(0)
        let total = Mutex<AnswerWork?>(nil)
        // Enough turns to be a long read.
        let longTurns = 230
        let bytesPerTurn = 2_000 * Budget.bytesPerStep
        // Two reads have the slots for long ones.
        for client: UInt64 in 1...2 {
            let refusal = service.api.readOnWorker(
                for: ReadClient(client), deadline: .now + .seconds(60), on: service.loop
            ) { (reader) throws(StoreError) in
                for _ in 0..<longTurns { try reader.charge(bytes: bytesPerTurn) }
                longCount.add(1, ordering: .relaxed)
                while !isOver.load(ordering: .relaxed) { try reader.charge(bytes: bytesPerTurn) }
            } finish: { result, _ in
                if case .failure(let error) = result { Issue.record(error) }
            }
            #expect(refusal == nil)
        }
        #expect(eventually { longCount.load(ordering: .relaxed) == 2 })
        let refusal = service.api.readOnWorker(
            for: ReadClient(3), deadline: .now + .seconds(60), on: service.loop
        ) { (reader) throws(StoreError) in
            attemptCount.add(1, ordering: .relaxed)
            do throws(StoreError) {
                for _ in 0..<longTurns { try reader.charge(bytes: bytesPerTurn) }
            } catch {
                interruptionCount.add(1, ordering: .relaxed)
                throw error
            }
        } finish: { result, work in
            if case .failure(let error) = result { Issue.record(error) }
            total.withLock { $0 = work }
        }
        #expect(refusal == nil)
        #expect(eventually { interruptionCount.load(ordering: .relaxed) == 1 })
        isOver.store(true, ordering: .relaxed)
        try service.loop.run { total.withLock { $0 != nil } }
        #expect(attemptCount.load(ordering: .relaxed) == 2)
        #expect(try #require(total.withLock { $0 }).stepCount >= (200 + longTurns) * 2_000)
    }

    /// Waits for a condition, for at most a minute.
    private func eventually(_ condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1_000)
        }
        return true
    }

    @Test("a request that moves to a worker counts what it has read on its loop, and then again on the worker")
    func moved() throws {
        let slow = try service { $0.readStepsMax = 300 }
        let onLoop = try work(again(slow), Self.list)
        #expect(onLoop.rowCount == 100 && onLoop.stepCount > 300)
        let moved = try work(slow, Self.list)
        #expect(slow.context.statistics.readHandedToWorkerCount == 1)
        #expect(moved.rowCount > onLoop.rowCount && moved.rowCount < 2 * onLoop.rowCount)
        #expect(moved.stepCount > onLoop.stepCount + 300)
        #expect(moved.accessPaths == ["Node by scan"])

        let children = #"mutation { updateNode(input: {id: "0"}) { id children(limit: 100) { items { id } } } }"#
        let write = try work(again(slow), children)
        let movedWrite = try work(slow, children)
        #expect(slow.context.statistics.readHandedToWorkerCount == 2)
        #expect(write.rowCount == 100 && movedWrite.rowCount > 100)
        #expect(movedWrite.stepCount > write.stepCount + 300)
    }

    @Test("a request that fails counts what it has read until then, on its loop and on a worker")
    func failed() throws {
        let onLoop = try service { $0.responseBytesMax = 1_000 }
        let onWorker = try again(onLoop) { limits in
            limits.responseBytesMax = 1_000
            limits.readStepsMax = 100
        }
        for service in [onLoop, onWorker] {
            let query = try work(service, Self.list, failing: ["BadRequest"])
            #expect(query.rowCount > 20 && query.stepCount > 100)
            let mutation = try work(
                service,
                #"mutation { updateNode(input: {id: "0"}) { id children(limit: 100) { items { id name } } } }"#,
                failing: ["DynamoDB:DynamoDbException"])
            #expect(mutation.rowCount > 20 && mutation.stepCount > 100)
        }
        #expect(onLoop.context.statistics.readHandedToWorkerCount == 0)
        #expect(onWorker.context.statistics.readHandedToWorkerCount == 2)
    }

    @Test("a request that times out, or finds no free worker, counts what it has read on its loop")
    func refused() throws {
        let late = try service { limits in
            limits.readStepsMax = 300
            limits.executionSeconds = 0
        }
        let timedOut = try work(late, Self.list, failing: ["ExecutionTimeout"])
        #expect(timedOut.rowCount > 10 && timedOut.stepCount > 300)
        let full = try again(late) { limits in
            limits.readStepsMax = 300
            limits.workerQueueCountMax = 0
        }
        let (kind, _) = try full.send(body: Service.body(Self.list, nil))
        #expect(kind.status == 503)
        #expect(kind.report.work.rowCount > 10 && kind.report.work.stepCount > 300)
    }

    @Test("a read that times out on its worker counts what it has read there")
    func timedOut() throws {
        let service = try service { limits in
            limits.readStepsMax = 300
            limits.executionSeconds = 1
            limits.resolverCountLimit = .max
            limits.responseBytesMax = 1 << 30
        }
        // Each node's parent is the first as well: a hundred children, each with its parent's hundred, four times over.
        try Service(Self.schema, home: service.home).seed(
            "mutation { "
                + (0..<100).map { #"n\#($0): updateNode(input: {id: "\#($0)", nodeParentId: "0"}) { id }"# }
                .joined(separator: " ") + " }")
        let nested =
            String(repeating: "children(limit: 100) { items { parent { ", count: 3)
            + "children(limit: 100) { items { id } }" + String(repeating: " } } }", count: 3)
        let work = try work(
            service, "{ getNode(id: \"0\") { \(nested) } }", failing: ["ExecutionTimeout"])
        #expect(work.rowCount > 1_000 && work.stepCount > 10_000)
        #expect(work.accessPaths.contains("Node by primary key"))
    }

    @Test("the log has why the store could not read a committed write's selection, and the answer has not")
    func cause() throws {
        let service = try service { limits in
            limits.readStepsMax = 1
            limits.workerQueueCountMax = 0
        }
        let (kind, text) = try service.send(
            body: Service.body(#"mutation { a: updateNode(input: {id: "0"}) { children { items { id } } } }"#, nil))
        #expect(kind.errorTypes == ["InternalFailure"])
        #expect(kind.report.cause == "a: Too many reads are waiting for a worker.")
        #expect(text.contains("The store could not serve the request.") && !text.contains("long reads"))
    }
}
