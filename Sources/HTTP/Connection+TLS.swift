import NIOCore

/// TLS on the port of clear text: put in front of the connection when the client begins with it.
extension Connection {
    /// The first byte decides the protocol, so that one port serves both: TLS is put before this handler, anything else
    /// is HTTP in clear text.
    func mayBeHTTP(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        if bytes.getInteger(at: bytes.readerIndex) == TLSHandshake.firstByte {
            beginHandshake(bytes, context)
        } else if isTLSOnly {
            refuse(Refusal(status: 400, message: "This port speaks TLS only. Use https:// or wss:// instead."))
        } else {
            return true
        }
        return false
    }

    func beginHandshake(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let certificates = service.certificates else { return endHandshake(.notServed) }
        (isSecure, isHandshaking, isReading) = (true, true, false)
        waitsSince = loop.seconds
        parser = RequestParser(limits: limits, peer: peer, isSecure: true)
        do {
            try TLSHandshake.begin(with: certificates, before: self, in: context, bytes)
        } catch {
            // The channel closed meanwhile: there is nobody to shake hands with.
            close()
        }
    }

    func completeHandshake() {
        isHandshaking = false
        lastActivity = loop.seconds
        service.handshakeEnded(nil, peer, on: loop)
    }

    /// TLS itself has sent the client an alert, where there is one to send.
    func endHandshake(_ failure: TLSHandshakeFailure) {
        isHandshaking = false
        service.handshakeEnded(failure, peer, on: loop)
        close()
    }
}
