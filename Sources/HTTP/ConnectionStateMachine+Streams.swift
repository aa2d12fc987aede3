import NIOCore

/// Bodies in parts: of a request, to the responder as it asks for them; of an answer, to the channel as it sends them.
extension ConnectionStateMachine {
    mutating func takeStreamed(_ server: ServerCondition) {
        stream = StreamedBody(
            sequence: answers.issuedCount, expectsContinue: parser.expectsContinue,
            rate: LeastRate(bytesPerSecond: limits.bodyBytesPerSecondMin, graceSeconds: limits.bodyGraceSeconds))
        acceptRequest(server)
    }

    /// The responder asks for the next part.
    mutating func wantPart(now: Int, room: () -> ByteBuffer) {
        guard var body = stream, !body.hasFailed else { return }
        deadlines.noteActivity(now: now)
        body.isWanted = true
        body.rate.beginWait(now: now)
        if body.expectsContinue {
            body.expectsContinue = false
            owesContinue = !parser.hasBodyBytes
        }
        stream = body
        writeContinue(room)
    }

    /// What the responder is given of a body. While it asks for nothing, as much is read as may be kept.
    mutating func nextPart(now: Int) -> Action? {
        guard let body = stream, !body.hasFailed, reading != .yielding else { return nil }
        guard body.isWanted || parser.isAtPartsEnd else {
            if parser.bufferedCount >= limits.streamBytesMax { pause() }
            return nil
        }
        resume()
        switch parser.next() {
        case .part:
            let bytes = parser.takePart()
            stream?.isWanted = false
            stream?.rate.pass(bytes.count, now: now)
            stream?.rate.endWait(now: now)
            part = .bytes(bytes)
        case .partsEnd:
            stream = nil
            part = .end
        case .refusal:
            stream?.hasFailed = true
            part = parser.refusal.map { .failed(.refused($0)) }
        case .needsBytes, .head, .expectsContinue, .streamedRequest, .request:
            guard isInputClosed else { return nil }
            stream?.hasFailed = true
            parser.giveUp()
            part = .failed(.disconnected)
        }
        return .deliver
    }

    /// The rest of the body will not come, and the connection ends with the answer.
    mutating func failStream(_ error: RequestBodyError) {
        stream?.hasFailed = true
        parser.giveUp()
        part = .failed(error)
        urgent = .deliver
    }

    var receivesStream: Bool { stream.map { !$0.hasFailed } ?? false }

    /// Whether a part that was asked for does not come, or all parts together come too slowly.
    func isStreamTooSlow(now: Int) -> Bool {
        guard let stream, stream.isWanted, !stream.hasFailed else { return false }
        return now - deadlines.lastActivity > limits.bodySeconds || stream.rate.isMissed(now: now)
    }

    /// Ends the reading of the answered request's body.
    /// - Returns: Whether the answer ends the connection, because the body has not arrived whole.
    mutating func closeRequestBody(_ sequence: Int, hasParts: Bool) -> Bool {
        guard let body = stream, body.sequence == sequence else { return false }
        guard !body.hasFailed else { return true }
        // A body that is answered in parts may be read meanwhile.
        if hasParts { return !parser.isAtPartsEnd }
        guard !body.expectsContinue, parser.skipParts() else { return true }
        stream = nil
        part = .failed(.answered)
        urgent = .deliver
        return false
    }

    /// The head of an answer is written whose body follows in parts.
    mutating func beginBody(closes: Bool) {
        sending = BodyInParts(closes: closes)
        if closes { endRequests() }
    }

    /// A part of the answer's body has left.
    mutating func partSent() { sending?.isPending = false }

    /// All parts of the answer's body have been handed over.
    mutating func endBody(room: () -> ByteBuffer) {
        guard let body = sending else { return }
        sending = nil
        answers.noteWritten()
        if body.closes { return endAnswers() }
        if answers.hasWaiting { writeWaiting(room) }
        writeContinue(room)
    }
}
