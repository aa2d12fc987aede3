import Dispatch
import Synchronization
import Testing

@testable import HTTP

@Suite("Work in steps on a loop")
struct AfterReadsTests {
    @Test("a request is answered between two steps, however long the steps and what else the loop has to do")
    func fairness() async throws {
        let stepCount = Atomic(0)
        let server = HTTPServer(
            limits: .patient, loopCount: 1,
            responder: Responding { request, loop, reply in
                let count = stepCount.load(ordering: .relaxed)
                reply.send(Response(status: 200, body: Array("\(count)".utf8)))
            })
        let client = Client(port: try server.listen(host: "127.0.0.1", port: 0))
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(await client.answer()?.text == "0")
        let loop = server.loops[0]
        let isOver = Atomic(false)
        @Sendable func busy() {
            let end = DispatchTime.now() + .milliseconds(2)
            while DispatchTime.now() < end {}
        }
        @Sendable func step() {
            guard stepCount.add(1, ordering: .relaxed).newValue < 100_000, !isOver.load(ordering: .relaxed) else {
                return
            }
            loop.executeAfterReads { step() }
            loop.execute { busy() }
            busy()
        }
        loop.execute { step() }
        for _ in 0..<5 {
            let before = stepCount.load(ordering: .relaxed)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let count = try #require(await client.answer().flatMap { Int($0.text) })
            // The client's own thread may get its turn late.
            #expect(count - before < 20_000)
        }
        isOver.store(true, ordering: .relaxed)
        #expect(stepCount.load(ordering: .relaxed) < 100_000)
        await server.shutdown(drainSeconds: 1)
    }

    @Test("work that is added from many threads runs once each, in the order of its thread")
    func threads() async throws {
        let server = HTTPServer(limits: .patient, loopCount: 1, responder: Echo())
        let loop = server.loops[0]
        let seen = Mutex<[[Int]]>(Array(repeating: [], count: 4))
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2_000 {
                loop.executeAfterReads { seen.withLock { $0[thread].append(number) } }
            }
        }
        #expect(await eventually { seen.withLock { $0.allSatisfy { $0.count == 2_000 } } })
        #expect(seen.withLock { $0.allSatisfy { $0 == Array(0..<2_000) } })
        await server.shutdown(drainSeconds: 1)
        loop.executeAfterReads { Issue.record("the server has shut down") }
    }
}
