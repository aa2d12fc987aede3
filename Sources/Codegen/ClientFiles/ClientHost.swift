/// By which host an app reaches a server: what `syncline pull --host` names.
public enum ClientHost: Sendable, Hashable {
    /// A host, and another port than the server's own where it has one.
    case named(String, port: Int?)
    /// An app in the iOS simulator, a browser or a program, on the server's machine.
    case simulator
    /// An app in the Android emulator on the server's machine.
    case emulator
    /// An app on a device in the network of the server's machine.
    case device

    /// The address by which the Android emulator reaches the loopback interface of its machine (Android Developers, "Set up
    /// Android Emulator networking").
    public static let emulatorAddress = "10.0.2.2"

    /// Reads `simulator`, `emulator`, `device`, `HOST` or `HOST:PORT`; nil for anything else.
    public init?(_ text: String) {
        switch text.lowercased() {
        case "simulator": self = .simulator
        case "emulator": self = .emulator
        case "device": self = .device
        default:
            guard let (host, port) = ClientAddress.parts(of: text) else { return nil }
            self = .named(host, port: port)
        }
    }

    /// As it is written.
    public var text: String {
        switch self {
        case .named(let host, let port): port.map { "\(host):\($0)" } ?? host
        case .simulator: "simulator"
        case .emulator: "emulator"
        case .device: "device"
        }
    }
}
