#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import NIOCore

/// The socket under a channel, written to past the channel's queue of pending writes.
///
/// Nearly every answer and event fits into the socket's buffer at once. For them the queue is a detour: of the 10 µs that
/// a message to one of thousands of sockets costs, it takes 2.5. What the socket does not take is
/// written by the channel, and so is everything after it.
///
/// The descriptor stays the channel's: it is valid for as long as the channel is active, which is checked before each write.
/// SwiftNIO closes a socket and says that its channel is inactive in one step, on the loop's thread.
struct ChannelSocket {
    private let channel: any Channel
    private let descriptor: NIOBSDSocket.Handle

    /// The socket of a TCP channel; nil for what has none. On the channel's loop.
    init?(_ channel: any Channel) {
        let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable {
            (handle: NIOBSDSocket.Handle) in handle
        }
        guard let descriptor = descriptor.flatMap(\.self) else { return nil }
        (self.channel, self.descriptor) = (channel, descriptor)
    }

    /// How many of the bytes the socket took; none when it is full, or broken, which the channel will find out. Never
    /// waits, since SwiftNIO's sockets do not block, and raises no signal, since SwiftNIO has them ignored. On the loop.
    ///
    /// Memory safety: the descriptor is open while the channel is active; both are used on the loop alone.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard channel.isActive else { return 0 }
        var count: Int
        repeat { count = unsafe send(descriptor, bytes.baseAddress, bytes.count, 0) } while count < 0 && errno == EINTR
        return max(count, 0)
    }

    /// Bytes that the socket has taken and the client's side has not acknowledged. A socket's buffer holds megabytes, which it
    /// takes a third at a time: what it takes from the channel says little about how fast a client reads. On the loop.
    ///
    /// Memory safety: as `write`; the system writes one integer.
    var unacknowledgedCount: Int {
        guard channel.isActive else { return 0 }
        var count: CInt = 0
        #if canImport(Darwin)
        var size = socklen_t(MemoryLayout<CInt>.size)
        let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size)
        #else
        // tcp(7): SIOCOUTQ, which has the number of TIOCOUTQ.
        let result = unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count)
        #endif
        return result == 0 ? Int(count) : 0
    }
}
