import Dispatch
import Server
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// SIGTERM and SIGINT: the first ends the server in order, the second at once. SIGHUP: certificates are read again.
struct Signals {
    private enum Request {
        case end, reload
    }

    private let stream: AsyncStream<Request>
    private let continuation: AsyncStream<Request>.Continuation
    private let source: any DispatchSourceRead

    /// Listens from now on: a signal during the start waits until the server has started.
    ///
    /// A handler may do next to nothing (POSIX, "Signal Concepts", async-signal-safe functions), so it writes one byte
    /// into a pipe; the pipe is read where everything is allowed. Without `reloadsOnHangUp`, a closed terminal ends the
    /// process as it ends others.
    init(reloadsOnHangUp: Bool) {
        var ends: [Int32] = [-1, -1]
        unsafe precondition(pipe(&ends) == 0, "A process that starts has two free descriptors.")
        pipeInput.store(ends[1], ordering: .relaxed)
        let (stream, continuation) = AsyncStream.makeStream(of: Request.self, bufferingPolicy: .bufferingOldest(4))
        let source = DispatchSource.makeReadSource(fileDescriptor: ends[0])
        let output = ends[0]
        source.setEventHandler {
            var byte: UInt8 = 0
            if unsafe read(output, &byte, 1) == 1 { continuation.yield(byte == 0 ? .end : .reload) }
        }
        source.activate()
        // The reader of a pipe may end; a write then fails instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGTERM, SIGINT] {
            signal(number) { _ in
                var byte: UInt8 = 0
                _ = unsafe write(pipeInput.load(ordering: .relaxed), &byte, 1)
            }
        }
        if reloadsOnHangUp {
            signal(SIGHUP) { _ in
                var byte: UInt8 = 1
                _ = unsafe write(pipeInput.load(ordering: .relaxed), &byte, 1)
            }
        }
        self.stream = stream
        self.continuation = continuation
        self.source = source
    }

    /// Ends the service as the first signal does, when called.
    var end: @Sendable () -> Void {
        { [continuation] in _ = continuation.yield(.end) }
    }

    /// Waits for the first signal to end.
    func waitForEnd() async {
        for await request in stream where request == .end { return }
    }

    /// Waits for the first signal to end and stops the service in order; a second one ends the process.
    func waitForEnd(of service: Service) async {
        var signals = stream.makeAsyncIterator()
        while await signals.next() == .reload { service.reloadCertificates() }
        await withTaskGroup { group in
            group.addTask { [stream] in
                for await request in stream where request == .end {
                    service.abandon()
                    Terminal.end(ServerError.Code.failed.rawValue)
                }
            }
            await service.stop()
            group.cancelAll()
        }
    }
}

/// Where the handler writes. It is made before the handler is installed, so the handler only loads it.
private let pipeInput = Atomic<Int32>(-1)
