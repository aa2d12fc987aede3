import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The user of the process at the other end of a Unix-domain socket, as the system knows it.
enum LocalUser {
    /// Another user's process.
    struct Foreign: Error {}

    /// The user's number. On the channel's loop.
    static func ofPeer(of channel: any Channel) throws -> UInt32 {
        let descriptor: NIOBSDSocket.Handle? = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable {
            (handle: NIOBSDSocket.Handle) in handle
        }
        guard let descriptor else { throw ChannelError.operationUnsupported }
        #if canImport(Darwin)
        var (user, group) = (uid_t(), gid_t())
        guard getpeereid(descriptor, &user, &group) == 0 else { throw IOError(errnoCode: errno, reason: "getpeereid") }
        return user
        #else
        // unix(7), SO_PEERCRED: the credentials of the peer process at the time of its connect(2): process, user, group.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
            throw IOError(errnoCode: errno, reason: "getsockopt")
        }
        return credentials.user
        #endif
    }
}
