/// Why a WebSocket was closed, as its close frame says. RFC 6455 §7.4.
public struct WebSocketCloseCode: Sendable, Hashable {
    /// The number.
    public let rawValue: UInt16

    /// The code of that number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: done what it was opened for.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// 1001: the server ends, or the browser leaves the page.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// 1002: the frames are not as the protocol has them.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// 1003: binary data, where only text is taken.
    public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// 1005: the close frame had no code. Reported, never sent.
    public static let noStatusReceived = WebSocketCloseCode(rawValue: 1005)
    /// 1007: text that is not UTF-8.
    public static let invalidPayload = WebSocketCloseCode(rawValue: 1007)
    /// 1008: a policy violation; here also a reader that is too slow.
    public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// 1009: more than is taken at once.
    public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
    /// 1011: the server's fault.
    public static let internalError = WebSocketCloseCode(rawValue: 1011)
    /// 1012: the service begins anew.
    public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)

    /// Whether a close frame may carry it: those of RFC 6455 §7.4.1 and of IANA's registry that are for the wire, and
    /// from 3000 on those of libraries and applications (RFC 6455 §7.4.2). 1004 has no meaning; 1005, 1006 and 1015
    /// are for programs to report what no frame said.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
