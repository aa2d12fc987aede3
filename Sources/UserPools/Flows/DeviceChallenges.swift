import Synchronization

/// Devices with a pending DEVICE_SRP_AUTH challenge, issued after a successful first factor: some clients respond
/// without the `Session` that they received (reference: auth, "Device SRP").
final class DeviceChallenges: Sendable {
    private let expiries = Mutex<[String: Int64]>([:])
    /// Maximum number of pending challenges. Beyond it expired ones are dropped, or else all.
    static let countMax = 50_000

    func add(_ device: Device, until expires: Int64, now: Int64) {
        expiries.withLock { expiries in
            if expiries.count >= Self.countMax {
                expiries = expiries.filter { $0.value > now }
                if expiries.count >= Self.countMax { expiries.removeAll() }
            }
            expiries[Self.name(device.user, device.deviceKey)] = expires
        }
    }

    /// Takes the pending challenge of a device, once; false if there is none.
    func take(user: String, deviceKey: String, now: Int64) -> Bool {
        expiries.withLock { ($0.removeValue(forKey: Self.name(user, deviceKey)) ?? 0) > now }
    }

    private static func name(_ user: String, _ deviceKey: String) -> String { "\(deviceKey)#\(user)" }
}
