import Synchronization

/// Which devices were asked for their password, after their user's first factor was right: some clients answer
/// DEVICE_SRP_AUTH without the `Session` that they were sent (reference: auth, "Device SRP").
final class DeviceChallenges: Sendable {
    private let expiries = Mutex<[String: Int64]>([:])
    /// The most challenges that are kept; past it those that have ended leave, or all.
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

    /// Whether the device was asked for, once.
    func take(user: String, deviceKey: String, now: Int64) -> Bool {
        expiries.withLock { ($0.removeValue(forKey: Self.name(user, deviceKey)) ?? 0) > now }
    }

    private static func name(_ user: String, _ deviceKey: String) -> String { "\(deviceKey)#\(user)" }
}
