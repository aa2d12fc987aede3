import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// In a listener's pipeline: what is done when a connection cannot be accepted because no descriptor is left, or no
/// memory.
///
/// SwiftNIO reports the error and tries again at once, as long as connections wait: a loop that does nothing else. So
/// reading pauses for a moment. Meanwhile the clients that wait are answered 503: one descriptor is kept in reserve, and
/// given up for as long as that takes. Used on the listener's loop only.
final class ListenerShortage: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let pauseMilliseconds: Int64 = 100
    /// Clients that are answered in one pause; each takes some microseconds.
    private static let refusalsPerPauseMax = 128

    private let service: Service
    private let loop: EventLoop
    private let takesClearText: Bool
    private var reserve: CInt = -1
    private var isPaused = false

    init(service: Service, loop: EventLoop, takesClearText: Bool) {
        self.service = service
        self.loop = loop
        self.takesClearText = takesClearText
    }

    func handlerAdded(context: ChannelHandlerContext) { takeReserve() }

    func handlerRemoved(context: ChannelHandlerContext) { releaseReserve() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let code = (error as? IOError)?.errnoCode, Self.isShortage(code) else {
            return context.fireErrorCaught(error)
        }
        guard !isPaused else { return }
        isPaused = true
        setAutoRead(false, context)
        service.noteShortage(.descriptors, clientCount: refuseWaiting(context), on: loop)
        let (own, context) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.loopBound)
        loop.nio.scheduleTask(in: .milliseconds(Self.pauseMilliseconds)) {
            own.value.isPaused = false
            own.value.setAutoRead(true, context.value)
        }
    }

    /// accept(2): the process has no descriptor left, the system has none, or there is no memory for a socket.
    private static func isShortage(_ code: CInt) -> Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    private func setAutoRead(_ isOn: Bool, _ context: ChannelHandlerContext) {
        // Fails only on a closed channel, which accepts nothing anyway.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }

    private func takeReserve() {
        if reserve < 0 { reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }

    private func releaseReserve() {
        if reserve >= 0 { close(reserve) }
        reserve = -1
    }

    /// Answers clients that wait to be accepted, with the descriptor in reserve.
    /// - Returns: How many.
    private func refuseWaiting(_ context: ChannelHandlerContext) -> Int {
        releaseReserve()
        defer { takeReserve() }
        let answer = makeAnswer()
        let count = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable {
            (listener: NIOBSDSocket.Handle) in
            var count = 0
            while count < Self.refusalsPerPauseMax {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                refuse(client, answer)
                count += 1
            }
            return count
        }
        for _ in 0..<(count ?? 0) { service.connectionRefused() }
        return count ?? 0
    }

    /// Answers in clear text, unless the client is seen to speak TLS, and closes. What the client has sent is read first:
    /// a socket closed with bytes unread resets the connection, and the client might never see the answer
    /// (RFC 9112 §9.6). Nothing here waits.
    ///
    /// Memory safety: the buffer lives for the closure, and `recv` is given its count. The descriptor is closed once, here.
    private func refuse(_ client: CInt, _ answer: ByteBuffer) {
        defer { close(client) }
        let dontWait = CInt(MSG_DONTWAIT)
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { bytes in
            let count = unsafe recv(client, bytes.baseAddress, bytes.count, dontWait)
            let speaksTLS = unsafe count > 0 && bytes[0] == TLSHandshake.firstByte
            guard takesClearText, !speaksTLS else { return }
            _ = unsafe answer.withUnsafeReadableBytes { unsafe send(client, $0.baseAddress, $0.count, dontWait) }
            shutdown(client, CInt(SHUT_WR))
            var rounds = 0
            while rounds < 16, unsafe recv(client, bytes.baseAddress, bytes.count, dontWait) > 0 { rounds += 1 }
        }
    }

    private func makeAnswer() -> ByteBuffer {
        let (response, requestID) = service.response(to: .noDescriptors, head: nil, peer: Peer(), on: loop)
        let writer = ResponseWriter(
            status: response.status, headers: response.headers, requestID: requestID, fields: response.fields,
            traits: .closes)
        var bytes = ByteBuffer()
        guard case .bytes(let body) = response.body else {
            preconditionFailure("a refusal's body is bytes")
        }
        unsafe body.withUnsafeBytes {
            unsafe writer.write(
                $0, closes: true, date: loop.date, compressionBytesMin: .max, deflater: loop.deflater, into: &bytes)
        }
        return bytes
    }
}
