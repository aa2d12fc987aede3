import NIOCore

/// Bodies in parts: of a request, as the responder asks for them; of an answer, as the client takes them.
extension Connection {
    /// The responder asks for the next part. On the loop.
    func wantPart(of body: RequestBody) {
        guard body === requestBody else { return body.deliver(.failed(.disconnected)) }
        unsafe machine.wantPart(now: loop.seconds, room: loop.takeBuffer)
        run(flushes: false)
        if unsafe machine.mayWrite { scheduleFlush() }
    }

    /// Hands the channel the next part of the answer's body, after all that is outgoing. It is followed by the next one
    /// when it has left: no more than one is kept for a slow client.
    func sendBodyPart() {
        flush()
        let sequence = unsafe machine.answers.writtenCount
        if sentBody == nil { sentBody = waitingBodies.removeValue(forKey: sequence) }
        switch sentBody?.next(readsFile: socket == nil) {
        case .bytes(let bytes): send(wrapOutboundOut(bytes), bytes.readableBytes, keptBytes: bytes.writerIndex)
        case .file(let region, let file): send(NIOAny(region), region.readableBytes, keptBytes: 0, holding: file)
        case .ask(let stream):
            stream.next { [self] part in
                if loop.isCurrent { return deliver(part, sequence) }
                loop.execute { [self] in deliver(part, sequence) }
            }
        case .end:
            sentBody = nil
            unsafe machine.endBody(room: loop.takeBuffer)
            if unsafe machine.mayWrite { scheduleFlush() }
        case .failed: close()
        case nil: break
        }
    }

    private func deliver(_ part: ResponseStream.Part, _ sequence: Int) {
        guard unsafe machine.answers.writtenCount == sequence, sentBody?.awaitsPart == true else { return }
        sentBody?.receive(part)
        unsafe machine.partSent()
        run(flushes: false)
        if unsafe machine.mayWrite { scheduleFlush() }
    }

    private func send(_ data: NIOAny, _ byteCount: Int, keptBytes keptCount: Int, holding file: ReadableFile? = nil) {
        guard let context else { return }
        unsafe keptBytes.mayHaveUnsent = true
        unsafe keptBytes.hand(byteCount, keptBytes: keptCount)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenSuccess { [self] in
            withExtendedLifetime(file) {}
            loop.executeAfterReads { [self] in
                unsafe machine.partSent()
                endTurn()
            }
        }
        context.writeAndFlush(data, promise: sent)
        countOutgoing()
    }
}
