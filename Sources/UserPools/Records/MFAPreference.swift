import JSON
import Tables

/// The second factors of a user.
package struct MFAPreference: Sendable, Hashable {
    /// A second factor, by its name in the interface.
    package enum Factor: String, Sendable, CaseIterable {
        case sms = "SMS_MFA"
        case softwareToken = "SOFTWARE_TOKEN_MFA"
        case email = "EMAIL_OTP"
    }

    /// Factors that were switched on by a call.
    var enabled: [Factor] = []
    /// Factors that were switched off by a call. Where MFA is required, all others that the user can use are on.
    var disabled: [Factor] = []
    var preferred: Factor?
    /// The sealed secret of the authenticator app.
    var totpSecret: String?
    /// The sealed secret of an app that is being set up; the one before counts until the new one was shown.
    var pendingSecret: String?
    /// Whether the app has shown that it has the secret.
    var isTOTPVerified = false
    /// What the user calls the device of the app.
    var deviceName: String?
    /// The last step of time whose code was used; no code is used twice.
    var lastStep: Int64 = 0

    init() {}

    init(_ object: JSONObject) {
        let document = RecordDocument(object)
        enabled = document.strings("enabled").compactMap(Factor.init)
        preferred = document.string("preferred").flatMap(Factor.init)
        totpSecret = document.string("totpSecret")
        pendingSecret = document.string("pendingSecret")
        isTOTPVerified = document.bool("isTOTPVerified")
        deviceName = document.string("deviceName")
        lastStep = document.integer("lastStep") ?? 0
        disabled = document.strings("disabled").compactMap(Factor.init)
        // In earlier versions a call switched off what it did not name, and the user had no factor if it named none as on.
        if document.bool("isSet"), !enabled.isEmpty { disabled = Factor.allCases.filter { !enabled.contains($0) } }
    }

    var json: JSONObject {
        var document = RecordDocument()
        document.set("enabled", enabled.map(\.rawValue))
        document.set("preferred", preferred?.rawValue)
        document.set("totpSecret", totpSecret)
        document.set("pendingSecret", pendingSecret)
        document.set("isTOTPVerified", isTOTPVerified)
        document.set("deviceName", deviceName)
        document.set("lastStep", lastStep == 0 ? nil : lastStep)
        document.set("disabled", disabled.map(\.rawValue))
        return document.object
    }

    /// Whether a factor is on, if the user can use it.
    ///
    /// - Parameter isRequired: Whether the pool requires MFA. Then factors are on that no call has switched off.
    func isOn(_ factor: Factor, isRequired: Bool) -> Bool {
        enabled.contains(factor) || (isRequired && !disabled.contains(factor))
    }

    /// Switches a factor on or off; the others stay as they are.
    mutating func set(_ factor: Factor, isEnabled: Bool, isPreferred: Bool) {
        enabled.removeAll { $0 == factor }
        disabled.removeAll { $0 == factor }
        if isEnabled { enabled.append(factor) } else { disabled.append(factor) }
        if isEnabled, isPreferred { preferred = factor } else if preferred == factor { preferred = nil }
    }
}
