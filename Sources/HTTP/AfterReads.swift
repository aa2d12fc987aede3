#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import NIOCore
import NIOPosix
import Synchronization

/// Work of one loop that runs after the loop has polled its sockets once more.
///
/// SwiftNIO runs all submitted and due tasks before it polls its sockets again. So work that proceeds in steps, each of
/// which schedules the next one, can keep a loop from its sockets until it ends: delivering one event to a thousand
/// sockets blocked it for 0.8 s. Hence a pipe: its descriptor is polled with the clients' sockets, so the work that is
/// announced through it runs in the same round as the requests that arrived by then.
final class AfterReads: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        /// The end that is written to; nil without a pipe.
        var descriptor: CInt?
    }

    private let state = Mutex(State())
    private let nio: any NIOCore.EventLoop

    /// Makes the pipe. If no descriptor is available, the work is scheduled with a short delay instead.
    init(nio: any NIOCore.EventLoop) {
        self.nio = nio
        guard let (input, output) = Self.makePipe() else { return }
        state.withLock { $0.descriptor = output }
        // Takes the descriptor over, also where it fails.
        NIOPipeBootstrap(group: nio)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Waking(self))
                }
            }
            .takingOwnershipOfDescriptor(input: input)
            .whenFailure { [self] _ in
                for work in end() { schedule(work) }
            }
    }

    /// Gives the pipe back, and drops the work.
    func close() { _ = end() }

    /// Gives the pipe back.
    /// - Returns: The work that waits.
    private func end() -> [@Sendable () -> Void] {
        state.withLock { state in
            if let descriptor = state.descriptor { closeDescriptor(descriptor) }
            defer { state = State() }
            return state.work
        }
    }

    private func schedule(_ work: @escaping @Sendable () -> Void) { nio.scheduleTask(in: .microseconds(10), work) }

    /// Adds work, from any thread. It runs on the loop.
    func add(_ work: @escaping @Sendable () -> Void) { add([work], isLeft: false) }

    /// - Parameter isLeft: Whether the work comes before what has been added since.
    private func add(_ work: ArraySlice<@Sendable () -> Void>, isLeft: Bool) {
        let hasPipe = state.withLock { state in
            guard let descriptor = state.descriptor else { return false }
            let isFirst = state.work.isEmpty
            state.work.insert(contentsOf: work, at: isLeft ? 0 : state.work.count)
            // The pipe holds at most this one byte.
            guard isFirst else { return true }
            var byte: UInt8 = 1
            var count: Int
            repeat { count = unsafe write(descriptor, &byte, 1) } while count < 0 && errno == EINTR
            guard count == 1 else {
                state.work = []
                return false
            }
            return true
        }
        guard !hasPipe else { return }
        for work in work { schedule(work) }
    }

    /// On the loop. Work added meanwhile, and work left over after `nanosecondsMax`, waits for the next poll.
    private func run() {
        var due = state.withLock { state in
            defer { state.work = [] }
            return state.work[...]
        }
        let end = EventLoop.uptimeNanoseconds + Self.nanosecondsMax
        while let work = due.popFirst() {
            work()
            if !due.isEmpty, EventLoop.uptimeNanoseconds > end { return add(due, isLeft: true) }
        }
    }

    /// Time after which no further piece of work is begun before the next poll.
    private static let nanosecondsMax: Int64 = 2_000_000

    /// Both ends do not block and are not inherited.
    private static func makePipe() -> (input: CInt, output: CInt)? {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return (ends[0], ends[1])
    }

    private final class Waking: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let owner: AfterReads

        init(_ owner: AfterReads) { self.owner = owner }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { owner.run() }
    }
}

private func closeDescriptor(_ descriptor: CInt) { _ = close(descriptor) }
