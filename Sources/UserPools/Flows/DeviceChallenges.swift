import JSON
import Synchronization

/// Devices with a pending DEVICE_SRP_AUTH challenge, issued after a successful first factor: some clients respond
/// without the `Session` that they received (reference: auth, "Device SRP").
final class DeviceChallenges: Sendable {
    private let states = Mutex<[ExactText: ChallengeState]>([:])
    /// Maximum number of pending challenges. Beyond it expired ones are dropped, or else a tenth, which expires first.
    static let countMax = 50_000

    func add(_ device: Device, for state: ChallengeState, now: Int64) {
        states.withLock { states in
            if states.count >= Self.countMax {
                states = states.filter { $0.value.expires > now }
                if states.count >= Self.countMax {
                    let oldest = states.sorted { $0.value.expires < $1.value.expires }.prefix(Self.countMax / 10)
                    for (name, _) in oldest { states[name] = nil }
                }
            }
            states[Self.name(device.user, device.deviceKey)] = state
        }
    }

    /// Takes the state of a device's pending challenge, once; nil if there is none.
    func take(user: String, deviceKey: String, now: Int64) -> ChallengeState? {
        states.withLock { $0.removeValue(forKey: Self.name(user, deviceKey)) }.flatMap { $0.expires > now ? $0 : nil }
    }

    private static func name(_ user: String, _ deviceKey: String) -> ExactText { ExactText("\(user)#\(deviceKey)") }
}
