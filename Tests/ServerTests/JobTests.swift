import JSON
import Synchronization
import Testing

@testable import Server

@Suite("Jobs: long work of operators")
struct JobTests {
    private func ended(_ job: Job) async -> JSONValue {
        while job.phase == .running { await Task.yield() }
        return job.json
    }

    @Test("a job has its steps, its progress and its result, and reports each change")
    func result() async throws {
        let messages = Mutex<[JSONValue]>([])
        let jobs = Jobs { message in messages.withLock { $0.append(message) } }
        let job = try jobs.start("test.run", target: "Room", steps: ["first", "second", "third"], by: "ada") {
            job throws(OperatorProblem) in
            let value = try job.step("first") { () throws(OperatorProblem) in 7 }
            job.setProgress(done: 3, total: 4, rejected: 1)
            job.skip("second")
            return ["value": .number(String(value))]
        }
        let json = await ended(job)
        #expect(json["state"] == "done" && json["result"] == ["value": 7] && json["by"] == "ada")
        #expect(json["progress"] == ["done": 3, "total": 4, "rejected": 1])
        #expect(json["steps"]?.arrayValue?.map { $0["state"]?.stringValue } == ["done", "skipped", "waiting"])
        #expect(jobs[job.id] === job && jobs.all.map(\.id) == [job.id])
        await jobs.end()
        let states = messages.withLock { $0.map { $0["state"]?.stringValue } }
        #expect(states.first == "running" && states.last == "done")
    }

    @Test("a failed job has its error, and the step that failed")
    func failure() async throws {
        let jobs = Jobs()
        let job = try jobs.start("test.run", steps: ["only"], by: "ada") { job throws(OperatorProblem) in
            try job.step("only") { () throws(OperatorProblem) in throw .invalid("No.", field: "x") }
            return [:]
        }
        let json = await ended(job)
        #expect(json["state"] == "failed" && json["error"]?["code"] == "invalid" && json["error"]?["field"] == "x")
        #expect(json["steps"]?.arrayValue?.first?["state"] == "failed")
        await jobs.end()
    }

    @Test("a bounded number of jobs runs and is kept, and a server that ends cancels those that run and takes no more")
    func bounds() async throws {
        let jobs = Jobs()
        func endless() throws(OperatorProblem) -> Job {
            try jobs.start("test.wait", by: "ada") { job throws(OperatorProblem) in
                job.setResult(["begun": true])
                while true { try job.check() }
            }
        }
        var running: [Job] = []
        for _ in 0..<JobLimits.runningMax { running.append(try endless()) }
        #expect(throws: OperatorProblem.self) { try endless() }
        running[0].cancel()
        #expect(await ended(running[0])["state"] == "cancelled")
        for _ in 0..<(JobLimits.keptMax + 5) {
            var job: Job?
            // The thread of the one before may not be free yet.
            while job == nil { job = try? jobs.start("test.run", by: "ben") { _ throws(OperatorProblem) in [:] } }
            _ = await ended(try #require(job))
        }
        #expect(jobs.all.count <= JobLimits.keptMax + JobLimits.runningMax)
        #expect(running.dropFirst().allSatisfy { jobs[$0.id] != nil }, "those that run are kept")
        await jobs.end()
        #expect(running.allSatisfy { $0.phase == .cancelled } && running[1].json["result"]?["begun"] == true)
        #expect(throws: OperatorProblem.self) { try endless() }
    }

    @Test("the results and files of all jobs that are kept have a bounded number of bytes, and the last one is kept")
    func keptBytes() async throws {
        let jobs = Jobs()
        let part = JobLimits.keptBytesMax / 4
        func run(_ count: Int) async throws -> Job {
            var job: Job?
            // The thread of the one before may not be free yet.
            while job == nil {
                job = try? jobs.start("test.run", by: "ada") { job throws(OperatorProblem) in
                    job.setRejects([UInt8](repeating: 0, count: count / 2))
                    return ["rejects": .array([.string(String(repeating: "x", count: count / 2))])]
                }
            }
            let ended = try #require(job)
            _ = await self.ended(ended)
            return ended
        }
        for _ in 0..<6 { _ = try await run(part) }
        let last = try await run(part)
        await jobs.end()
        #expect(jobs.all.count == 3 && jobs.all.first === last, "each has a little more than its part")
        #expect(jobs.all.reduce(0) { $0 + $1.keptBytes } <= JobLimits.keptBytesMax)
        let (whole, listed) = (last.json["result"], last.summary["result"])
        #expect(whole?["rejects"]?.arrayValue?.count == 1 && listed?.objectValue?.isEmpty == true)

        let large = Jobs()
        let job = try large.start("test.run", by: "ada") { job throws(OperatorProblem) in
            job.setRejects([UInt8](repeating: 0, count: JobLimits.keptBytesMax + 1))
            return [:]
        }
        _ = await ended(job)
        await large.end()
        #expect(large.all.count == 1)
    }

    @Test("jobs are listed for all, and cancelled by who started them or by an owner")
    func calls() async throws {
        try await OperatorStage.with(schema: OperatorSchemaTests.schema) { stage in
            let jobs = stage.server.service.state.jobs
            let job = try jobs.start("test.wait", by: "editor") { job throws(OperatorProblem) in
                job.setRejects(Array("line,reason\r\n".utf8))
                while true { try job.check() }
            }
            let list = try stage.ask("GET", "/jobs", as: .viewer).value["items"]?.arrayValue
            #expect(list?.map { $0["id"]?.stringValue } == [job.id])
            #expect(try stage.ask("GET", "/jobs/\(job.id)", as: .viewer).value["state"] == "running")
            #expect(try stage.ask("DELETE", "/jobs/\(job.id)", as: .viewer).status == 403)
            #expect(try stage.ask("DELETE", "/jobs/\(job.id)", as: .editor).status == 200)
            #expect(await ended(job)["state"] == "cancelled")
            #expect(try stage.ask("DELETE", "/jobs/\(job.id)", as: .owner).status == 409)
            #expect(try stage.ask("GET", "/jobs/none", as: .viewer).status == 404)
            let rejects = try stage.send("GET", "/jobs/\(job.id)/rejects", as: .viewer)
            #expect(rejects.body == "line,reason\r\n" && rejects["Content-Type"] == ["text/csv;charset=UTF-8"])
        }
    }
}
