import NIOCore

/// TLS on the port of clear text: put before the connection when the client begins with it.
extension Connection {
    func beginHandshake(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let certificates = service.certificates else { return endHandshake(.notServed) }
        do {
            try TLSHandshake.begin(with: certificates, before: self, in: context, bytes)
        } catch {
            // The channel closed meanwhile: there is no handshake to begin.
            close()
        }
    }

    /// TLS itself has sent the client an alert, where there is one to send.
    func endHandshake(_ failure: TLSHandshakeFailure) {
        unsafe machine.handshakeFailed()
        service.handshakeEnded(failure, peer, on: loop)
        close()
    }
}
