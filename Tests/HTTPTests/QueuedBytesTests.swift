import Foundation
import NIOCore
import Synchronization
import Testing

@testable import HTTP

@Suite("Long answers that leave in pieces")
struct QueuedBytesTests {
    @Test("pieces come in order, none is too long, and a buffer's memory goes with its last piece")
    func pieces() throws {
        var queued = QueuedBytes()
        let lengths = [1, 700_000, QueuedBytes.pieceBytesMax, 5]
        for (number, length) in lengths.enumerated() {
            queued.append(ByteBuffer(repeating: UInt8(number), count: length))
        }
        queued.append(ByteBuffer())
        let total = lengths.reduce(0, +)
        #expect(queued.readableBytes == total && queued.keptBytes == total)
        var bytes: [UInt8] = []
        var keptBytes = 0
        while let next = queued.next() {
            #expect((1...QueuedBytes.pieceBytesMax).contains(next.piece.readableBytes))
            bytes += next.piece.readableBytesView
            keptBytes += next.keptBytes
            #expect(queued.readableBytes == total - bytes.count && queued.keptBytes == total - keptBytes)
        }
        #expect(queued.isEmpty && keptBytes == total)
        #expect(bytes == lengths.enumerated().flatMap { [UInt8](repeating: UInt8($0.offset), count: $0.element) })
    }

    @Test(
        "many long answers that are completed backwards do not leave in one step of the loop",
        .disabled(if: Sanitizer.isOn, "the bound is one of time, and a sanitizer multiplies it"),
        arguments: [false, true])
    func steps(isLast: Bool) async throws {
        let (count, body) = (60, [UInt8](repeating: 0x61, count: 3_000_000))
        let held = Held()
        let steps = Mutex((longest: Duration.zero, total: Duration.zero))
        let isMeasuring = Atomic(false)
        var limits = HTTPLimits.patient
        (limits.outgoingBytesMax, limits.outgoingBytesPerServerMax) = (1 << 30, 1 << 30)
        let server = HTTPServer(
            limits: limits, loopCount: 1,
            responder: Responding { request, loop, reply in
                guard held.add(reply, path: request.path) == count else { return }
                // Each in a turn of its own, the first one last.
                @Sendable func answerNext() {
                    guard let reply = held.takeLast() else { return }
                    reply.send(Response(status: 200, body: body))
                    loop.executeAfterReads { answerNext() }
                }
                @Sendable func measure() {
                    let start = threadTime()
                    loop.executeAfterReads {
                        let time = threadTime() - start
                        steps.withLock { $0 = (max($0.longest, time), $0.total + time) }
                        if isMeasuring.load(ordering: .relaxed) { measure() }
                    }
                }
                isMeasuring.store(true, ordering: .relaxed)
                measure()
                answerNext()
            })
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let client = Client(port: port)
        let head = "GET / HTTP/1.1\r\nHost: h\r\n"
        let last = head + (isLast ? "Connection: close\r\n\r\n" : "\r\n")
        client.send(String(repeating: head + "\r\n", count: count - 1) + last)
        for _ in 0..<count { #expect(await client.answer()?.body.count == body.count) }
        isMeasuring.store(false, ordering: .relaxed)
        // A piece and the copy of an answer take a hundredth of the whole.
        let found = steps.withLock { $0 }
        #expect(found.longest < found.total / 3, "\(found)")
        #expect(await eventually { server.statistics.outgoingBytes == 0 })
        if isLast { #expect(await eventually { server.statistics.openCount == 0 }) }
        await server.shutdown(drainSeconds: 1)
    }
}
