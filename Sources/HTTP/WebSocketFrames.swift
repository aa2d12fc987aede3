import Encodings

/// A client's frames from bytes, and messages from frames: a state machine without input or output. RFC 6455 §5.
///
/// Bytes go in by `append`; events come out of `next` until it says `.needsBytes`. How the bytes were cut into reads
/// makes no difference. A close frame or a failure is the last event; what comes after is forgotten.
///
/// A header is judged as it arrives, so that a payload which is too large is refused before it is kept. A payload is
/// unmasked where it lies; one that is a whole message is delivered without another copy. While nothing is under way, no
/// memory is kept: most sockets are silent most of the time.
struct WebSocketFrames {
    enum Event: Equatable {
        /// Every complete event was returned; more bytes are needed.
        case needsBytes
        /// One whole text message, valid UTF-8.
        case text(ArraySlice<UInt8>)
        case ping(ArraySlice<UInt8>)
        case pong
        /// The client closes; nil when its close frame says no code.
        case close(WebSocketCloseCode?)
        case failure(WebSocketFailure)
    }

    private struct Frame {
        var opcode: WebSocketFrameHeader.Opcode
        var isFinal: Bool
        var maskingKey: UInt32
        /// Offsets into `input`.
        var payload: Range<Int>
    }

    private let limits: WebSocketLimits
    /// Everything read and not yet returned. The present frame begins at `start`.
    private var input: [UInt8] = []
    private var start = 0
    /// The message of which some fragments have come. RFC 6455 §5.4.
    private var message: [UInt8] = []
    private var fragmentCount = 0
    private var isDone = false

    init(limits: WebSocketLimits) { self.limits = limits.clamped }

    /// Bytes kept, for the test of the bound: a message, and a frame of it with its header.
    var keptBytes: Int { input.capacity + message.capacity }

    /// Whether bytes wait to be read as frames.
    var hasInput: Bool { input.count > start }

    /// Forgets what has not arrived whole; nothing more is read.
    mutating func giveUp() { finish() }

    /// Takes in what was read.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !isDone else { return }
        if start > 0 {
            input.removeSubrange(..<start)
            start = 0
        }
        unsafe input.append(contentsOf: bytes)
    }

    /// The next event.
    mutating func next() -> Event {
        guard !isDone else { return .needsBytes }
        do throws(WebSocketFailure) {
            while let frame = try nextFrame() {
                if let event = try take(frame) { return event }
            }
            if start == input.count { forgetInput() }
            return .needsBytes
        } catch {
            finish()
            return .failure(error)
        }
    }

    private mutating func forgetInput() {
        input = []
        start = 0
    }

    private mutating func finish() {
        isDone = true
        forgetInput()
        message = []
    }
}

// MARK: - Frames

extension WebSocketFrames {
    /// The next frame, unmasked, once all of it is there. Each byte of the header is judged before the next is looked
    /// at, so that the result does not depend on how they were divided.
    ///
    /// Memory safety: the payload ends inside the bytes received.
    private mutating func nextFrame() throws(WebSocketFailure) -> Frame? {
        guard let frame = try readHeader(), frame.payload.upperBound <= input.count else { return nil }
        unsafe input.withUnsafeMutableBytes { bytes in
            let payload = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[frame.payload])
            unsafe WebSocketFrameHeader.mask(payload, with: frame.maskingKey)
        }
        start = frame.payload.upperBound
        return frame
    }

    private func readHeader() throws(WebSocketFailure) -> Frame? {
        guard input.count > start else { return nil }
        let first = input[start]
        guard first & 0x70 == 0 else { throw .malformed("A reserved bit is set, but no extension was agreed on.") }
        guard let opcode = WebSocketFrameHeader.Opcode(rawValue: first & 0x0F) else {
            throw .malformed("The opcode is reserved.")
        }
        let isFinal = first & 0x80 != 0
        try check(opcode, isFinal: isFinal)
        guard input.count > start + 1 else { return nil }
        let second = input[start + 1]
        guard second & 0x80 != 0 else { throw .malformed("A client masks its frames.") }
        guard !opcode.isControl || second & 0x7F <= 125 else {
            throw .malformed("A control frame has at most 125 bytes.")
        }
        guard let length = try readLength(second & 0x7F) else { return nil }
        guard opcode.isControl || length.value <= limits.messageBytesMax - message.count else {
            throw WebSocketFailure(code: .messageTooBig, reason: "The message is larger than the server reads.")
        }
        let payloadStart = length.end + 4
        guard input.count >= payloadStart else { return nil }
        var maskingKey: UInt32 = 0
        for place in 0..<4 { maskingKey |= UInt32(input[length.end + place]) << UInt32(8 * place) }
        return Frame(
            opcode: opcode, isFinal: isFinal, maskingKey: maskingKey,
            payload: payloadStart..<payloadStart + length.value)
    }

    /// RFC 6455 §5.4, §5.5: which frame may come now.
    private func check(_ opcode: WebSocketFrameHeader.Opcode, isFinal: Bool) throws(WebSocketFailure) {
        switch opcode {
        case .close, .ping, .pong:
            guard isFinal else { throw .malformed("A control frame is never fragmented.") }
        case .continuation:
            guard fragmentCount > 0 else { throw .malformed("There is no message to continue.") }
            guard fragmentCount < limits.fragmentCountMax else {
                throw WebSocketFailure(code: .messageTooBig, reason: "The message has too many fragments.")
            }
        case .text, .binary:
            guard fragmentCount == 0 else { throw .malformed("The message before has not come to its end.") }
            guard opcode == .text else {
                throw WebSocketFailure(code: .unsupportedData, reason: "The server takes text only.")
            }
        }
    }

    /// The payload's length, and the offset after it.
    private func readLength(_ short: UInt8) throws(WebSocketFailure) -> (value: Int, end: Int)? {
        let byteCount = short < 126 ? 0 : short == 126 ? 2 : 8
        let end = start + 2 + byteCount
        guard input.count >= end else { return nil }
        guard byteCount > 0 else { return (Int(short), end) }
        let length = input[start + 2..<end].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // "The most significant bit MUST be 0" (RFC 6455 §5.2); with it, the length is no Int.
        guard let value = Int(exactly: length) else { throw .malformed("The payload length has its highest bit set.") }
        guard value > (byteCount == 2 ? 125 : 0xFFFF) else {
            throw .malformed("The payload length is not in its shortest form.")
        }
        return (value, end)
    }
}

// MARK: - Messages

extension WebSocketFrames {
    /// The event of a frame; nil for a fragment after which others follow.
    private mutating func take(_ frame: Frame) throws(WebSocketFailure) -> Event? {
        switch frame.opcode {
        case .ping: return .ping(input[frame.payload])
        case .pong: return .pong
        case .close: return try close(input[frame.payload])
        case .text where frame.isFinal: return try text(input[frame.payload])
        case .text, .continuation, .binary:
            message += input[frame.payload]
            fragmentCount += 1
            guard frame.isFinal else { return nil }
            fragmentCount = 0
            var whole: [UInt8] = []
            swap(&whole, &message)
            return try text(whole[...])
        }
    }

    private func text(_ message: ArraySlice<UInt8>) throws(WebSocketFailure) -> Event {
        guard unsafe message.withUnsafeBytes({ unsafe $0.isUTF8 }) else {
            throw WebSocketFailure(code: .invalidPayload, reason: "The message is not UTF-8.")
        }
        return .text(message)
    }

    /// RFC 6455 §5.5.1: nothing, or a code and a reason in UTF-8.
    private mutating func close(_ payload: ArraySlice<UInt8>) throws(WebSocketFailure) -> Event {
        defer { finish() }
        guard !payload.isEmpty else { return .close(nil) }
        guard payload.count >= 2 else { throw .malformed("Half a close code.") }
        let number = payload.prefix(2).reduce(0 as UInt16) { $0 << 8 | UInt16($1) }
        let code = WebSocketCloseCode(rawValue: number)
        guard code.isSendable else { throw .malformed("The close code is none that a frame may carry.") }
        guard unsafe payload.dropFirst(2).withUnsafeBytes({ unsafe $0.isUTF8 }) else {
            throw WebSocketFailure(code: .invalidPayload, reason: "The reason for closing is not UTF-8.")
        }
        return .close(code)
    }
}
